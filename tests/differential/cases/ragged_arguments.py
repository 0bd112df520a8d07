# case: elementwise
R = tf.ragged.constant
with tf.Session() as s:
    for make in (
        lambda: tf.add(R([[1],[2,3]]),[[1],[2]]),
        lambda: tf.add(R([[1],[2,3]]),[1]),
        lambda: tf.add(R([[1],[2,3]]),[[1,2]]),
        lambda: tf.add(R([[[1],[2,3]],[]]),R([[1],[2,3]])),
        lambda: tf.add(R([[[1],[2,3]],[]]),[[[1]],[[2]]]),
        lambda: tf.add(R([[1],[2,3]]),R([[1.],[2,3]])),
        lambda: tf.add(R([[1],[2,3]]),1.5),
        lambda: tf.add(R([[[1,2]],[[2,3],[4,5]]],ragged_rank=1),[10,20]),
        lambda: tf.add(R([[[1,2]],[[2,3],[4,5]]],ragged_rank=1),[[10],[20]]),
        lambda: tf.add(R([[[1,2]],[[2,3],[4,5]]],ragged_rank=1),R([[1],[2,3]])),
        lambda: tf.cast(R([[1],[2,0]]),tf.float32),
        lambda: tf.identity(R([[1],[2,0]])),
        lambda: tf.zeros_like(R([[1],[2,0]])),
        lambda: tf.ones_like(R([[1],[2,0]]),tf.float32),
        lambda: tf.clip_by_value(R([[1],[2,0]]),1,1),
        lambda: tf.add_n([R([[1],[2,0]]),R([[1],[2,0]])]),
        lambda: tf.add_n([R([[1],[2,0]]),R([[1,2],[2]])]),
        lambda: tf.add_n([R([[1],[2,0]]),3]),
        lambda: tf.ragged.map_flat_values(tf.add,R([[1],[2,3]]),R([[1],[2,3]])),
        lambda: tf.ragged.map_flat_values(tf.add,R([[1],[2,3]]),R([[1,2],[3]])),
        lambda: tf.ragged.map_flat_values(tf.reduce_sum,R([[1],[2,3]])),
        lambda: tf.bitcast(R([[1],[2,3]]),tf.float32),
        lambda: tf.equal(R([[1],[2,3]]),R([[1],[2,4]])),
        lambda: tf.math.squared_difference(R([[1],[2,3]]),1),
        lambda: tf.debugging.check_numerics(R([[1.],[2,3]]),'x'),
        lambda: tf.assert_equal(R([[1.],[2,3]]),R([[1.],[2,3]])),
        lambda: tf.multiply(2,R([[1],[2,3]])),
        lambda: tf.maximum(R([[1],[2,3]]),2),
        lambda: tf.pow(R([[1],[2,3]]),2),
        lambda: tf.complex(R([[1.],[2,3]]),R([[1.],[2,3]])),
        lambda: tf.is_nan(R([[1.],[2,3]])),
        lambda: tf.logical_not(R([[True],[False]])),
        lambda: tf.add(R([[1],[2,3]]),R([[1,2],[2]])),
        lambda: tf.add(R([[1,2]]),R([[1,2],[2,5]])),
        lambda: tf.add(R([[1,2]]),R([[1,2],[2]])),
        lambda: tf.add(R([[1,2],[3]]),[[1,2],[3,4]]),
        lambda: tf.add(R([[1,2],[3]]),[[[1]]]),
        lambda: tf.add(R([[1,2],[3]]),[[[1]],[[2]]]),
        lambda: tf.add(R([[[1,2],[3,4]],[[5,6]]],ragged_rank=1),[[[1,2]],[[3,4]]]),
        lambda: tf.add(R([[[1,2],[3,4]],[[5,6]]],ragged_rank=1),[[[1],[2]],[[3],[4]]]),
        lambda: tf.add_n([R([[1],[2,0]]),[[1],[2]]]),
        lambda: tf.equal(R([[1],[2,3]]),None),
        lambda: tf.add(x=R([[1],[2,3]]),y=1),
        lambda: tf.add(1,y=R([[1],[2,3]]),name='t'),
        lambda: tf.abs(x=R([[-1],[2,3]])),
        lambda: tf.logical_and(R([[True],[False]]),True),
        lambda: tf.clip_by_value(R([[1.],[2,3]]),1.5,2.5),
        lambda: tf.round(R([[1.],[2,3]])),
        lambda: tf.nn.softmax(R([[1.],[2,3]])),
        lambda: tf.compat.v2.ones_like(R([[1],[2]])),
    ):
        try:
            made = make()
            if isinstance(made, (bool, int, str)):
                print(made)
                continue
            value = s.run(made)
            print(type(made).__name__, getattr(made, "shape", None), value.to_list() if hasattr(value, "to_list") else np.array(value).tolist())
        except Exception as e:
            print(type(e).__name__, *([] if isinstance(e, (tf.errors.OpError, IndexError)) else [str(e).split(":")[0].split(" for '")[0].split(" <class")[0].split(" in list passed")[0][:60]]))
# case: reductions and segments
R = tf.ragged.constant
with tf.Session() as s:
    for make in (
        lambda: tf.reduce_sum(R([[1],[2,3]])),
        lambda: tf.reduce_sum(R([[1],[2,3]]),1),
        lambda: tf.reduce_sum(R([[1],[2,3]]),0),
        lambda: tf.reduce_sum(R([[1],[2,3]]),[0,1]),
        lambda: tf.reduce_sum(R([[1],[2,3]]),-1),
        lambda: tf.reduce_sum(R([[1],[2,3]]),2),
        lambda: tf.reduce_sum(R([[1],[2,3]]),tf.constant([0])),
        lambda: tf.reduce_sum(R([[1],[2,3]]),1,keepdims=True),
        lambda: tf.reduce_sum(R([[1],[2,3]]),1,True),
        lambda: tf.reduce_sum(R([[[1],[2,3]],[]]),1),
        lambda: tf.reduce_sum(R([[[1],[2,3]],[]]),2),
        lambda: tf.reduce_sum(R([[[1],[2,3]],[]]),[0,2]),
        lambda: tf.reduce_sum(R([[[1],[2,3]],[]]),[1,2]),
        lambda: tf.reduce_sum(R([[[1,5],[2,3]],[]],ragged_rank=1),2),
        lambda: tf.reduce_mean(R([[1.],[2,3],[]]),1),
        lambda: tf.reduce_mean(R([[1],[2,4],[]]),1),
        lambda: tf.reduce_mean(R([[1],[2,4],[]]),0),
        lambda: tf.reduce_max(R([[1],[2,3],[]]),1),
        lambda: tf.reduce_min(R([[1.],[2,3],[]]),1),
        lambda: tf.reduce_prod(R([[1],[2,3],[]]),1),
        lambda: tf.reduce_any(R([[True],[False,False],[]]),1),
        lambda: tf.reduce_all(R([[True],[False,False],[]]),1),
        lambda: tf.reduce_logsumexp(R([[1.],[2,3],[]]),1),
        lambda: tf.unsorted_segment_sum(R([[1],[2,3]]),[1,1],2),
        lambda: tf.unsorted_segment_sum(R([[1],[2,3]]),R([[1],[0,1]]),2),
        lambda: tf.unsorted_segment_mean(R([[1.],[2,3]]),R([[1],[0,1]]),2),
        lambda: tf.unsorted_segment_sqrt_n(R([[1.],[2,3]]),R([[1],[0,1]]),2),
        lambda: tf.segment_sum(R([[1],[2,3]]),[0,0]),
        lambda: tf.reduce_sum(R([[[1],[2,3]],[]]),0),
        lambda: tf.reduce_sum(R([[[1],[2,3]],[[4]]]),[0,1]),
        lambda: tf.reduce_sum(R([[[1],[2,3]],[]]),[]),
        lambda: tf.reduce_sum(R([[[1,5],[2,3]],[]],ragged_rank=1),1),
        lambda: tf.reduce_sum(R([[[1,5],[2,3]],[]],ragged_rank=1),0),
        lambda: tf.reduce_mean(R([[1,2],[4]])),
        lambda: tf.reduce_any(R([[True],[False,False],[]])),
        lambda: tf.reduce_max(R([[1],[2,3],[]]),0),
        lambda: tf.reduce_sum(R([[1],[2,3],[]]),reduction_indices=1),
        lambda: tf.reduce_sum(R([[1],[2,3],[]]),1,keep_dims=True),
        lambda: tf.reduce_sum(R([[1],[2,3],[]]),1,name='foo'),
        lambda: tf.reduce_sum(R([[1],[2,3],[]]),'a'),
        lambda: tf.unsorted_segment_max(R([[1],[2,3]]),[1,1],3),
        lambda: tf.unsorted_segment_sum(R([[1],[2,3]]),R([[1],[0]]),2),
        lambda: tf.unsorted_segment_sum([[1,2],[2,3]],R([[1,2],[0,1]]),2),
        lambda: tf.unsorted_segment_sum(R([[[1,2]],[[3,4]]],ragged_rank=1),[1,1],2),
        lambda: tf.unsorted_segment_sum(R([[[1],[5,6]],[[3,4]]]),[1,1],2),
        lambda: tf.unsorted_segment_mean(R([[1],[2,3]]),[1,1],2),
        lambda: tf.compat.v2.reduce_sum(R([[1],[2,3]]),1),
    ):
        try:
            made = make()
            if isinstance(made, (bool, int, str)):
                print(made)
                continue
            value = s.run(made)
            print(type(made).__name__, getattr(made, "shape", None), value.to_list() if hasattr(value, "to_list") else np.array(value).tolist())
        except Exception as e:
            print(type(e).__name__, *([] if isinstance(e, (tf.errors.OpError, IndexError)) else [str(e).split(":")[0].split(" for '")[0].split(" <class")[0].split(" in list passed")[0][:60]]))
# case: joined and repeated
R = tf.ragged.constant
with tf.Session() as s:
    for make in (
        lambda: tf.concat([R([[1],[2,3]]),R([[1],[2,3]])],0),
        lambda: tf.concat([R([[1],[2,3]]),R([[1],[2,3]])],1),
        lambda: tf.concat([R([[1],[2,3]]),[[1],[2]]],1),
        lambda: tf.concat([R([[1],[2,3]]),[[1,2],[2,3],[3,4]]],0),
        lambda: tf.concat([R([[1],[2,3]]),R([[[1],[2,3]]])],0),
        lambda: tf.concat([R([[1],[2,3]])],2),
        lambda: tf.concat([R([[1],[2,3]])],-1),
        lambda: tf.concat(R([[1],[2,3]]),0),
        lambda: tf.stack([R([[1],[2,3]]),R([[4,5,6]])],0),
        lambda: tf.stack([R([[1],[2,3]]),R([[4,5,6],[]])],1),
        lambda: tf.stack([R([[1],[2,3]]),R([[4],[7,8]])],2),
        lambda: tf.ragged.stack([[1,2],[3]],0),
        lambda: tf.ragged.stack([[1,2],[3,4]],1),
        lambda: tf.ragged.stack([1,2],0),
        lambda: tf.ragged.stack([R([[1],[2,3]])],0),
        lambda: tf.tile(R([[1],[2,3]]),[2,2]),
        lambda: tf.tile(R([[[1,2],[3,4]],[[5,6]]],ragged_rank=1),[1,2,2]),
        lambda: tf.ragged.stack_dynamic_partitions([1,2,3],[0,2,0],3),
        lambda: tf.ragged.stack_dynamic_partitions(R([[1],[2,3]]),[1,0],2),
        lambda: tf.ragged.stack_dynamic_partitions(R([[1],[2,3]]),R([[1],[0,1]]),2),
        lambda: tf.concat([R([[1],[2,3]]),R([[[1],[2,3]]]).values],tf.constant(0)),
        lambda: tf.concat([R([[1],[2,3]]),R([[1],[2,3],[4]])],1),
        lambda: tf.concat([R([[1],[2,3]]),R([[1.],[2,3]])],1),
        lambda: tf.concat([R([[[1],[2]],[[3,4]]]),R([[[1],[2]],[[3]]])],2),
        lambda: tf.concat([R([[[1],[2]],[[3,4]]]),R([[[1],[2]],[[3]]])],1),
        lambda: tf.concat([R([[[1],[2]],[[3,4]]]),R([[[1],[2]],[[3]]])],3),
        lambda: tf.concat([R([[[1],[2]],[[3,4]]]),R([[[1],[2]],[[3]]])],-4),
        lambda: tf.concat([R([[[1,2]],[[3,4]]],ragged_rank=1),R([[[1,2]],[[3,4]]],ragged_rank=1)],2),
        lambda: tf.stack([R([[1],[2,3]]),[[1,2],[3,4]]],1),
        lambda: tf.stack([R([[1],[2,3]]),R([[4],[7,8]])],3),
        lambda: tf.stack([R([[1],[2,3]]),R([[4],[7,8]])],-4),
        lambda: tf.stack([R([[1],[2,3]]),R([[4],[7,8]])],-1),
        lambda: tf.ragged.stack([R([[1],[2,3]]),[[1,2],[3,4]]],1),
        lambda: tf.ragged.stack([[[1,2]],[[3,4,5]]],0),
        lambda: tf.ragged.stack([tf.constant([1,2]),tf.constant([3,4,5])],0),
        lambda: tf.ragged.stack([],0),
        lambda: tf.ragged.stack(R([[1],[2,3]]),0),
        lambda: tf.ragged.stack([R([1])],0),
        lambda: tf.tile(R([[1],[2,3]]),[0,2]),
        lambda: tf.tile(R([[1],[2,3]]),tf.constant([1,2],tf.int64)),
        lambda: tf.tile(R([[1],[2,3]]),tf.placeholder_with_default([2,1],[2])),
        lambda: tf.tile(R([[1],[2,3]]),2),
        lambda: tf.tile(R([[[1],[2,3]],[[4]]]),[1,2,1]),
        lambda: tf.tile(R([[[1],[2,3]],[[4]]]),[2,1,2]),
        lambda: tf.ragged.stack_dynamic_partitions([1,2,3],[0,2],3),
        lambda: tf.ragged.stack_dynamic_partitions([[1,2],[3,4]],[[0,1],[1,1]],3),
        lambda: tf.ragged.stack_dynamic_partitions([1,2,3],[0,2,5],3),
        lambda: tf.ragged.stack_dynamic_partitions([1,2,3],[0,2,0],tf.placeholder_with_default(3,[])),
        lambda: tf.ragged.stack_dynamic_partitions([1,2,3],R([[0],[0]]),3),
        lambda: tf.ragged.stack_dynamic_partitions(1,1,3),
        lambda: tf.ragged.stack([[[1,2]],[[3,4]]],0),
        lambda: tf.ragged.stack([[[1,2]],[[3,4]]],1),
        lambda: tf.ragged.stack([[[1,2]],[[3,4]]],2),
        lambda: tf.ragged.stack([[[1,2]]],0),
        lambda: tf.concat([R([[1],[2,3]],row_splits_dtype=tf.int32),R([[1],[2,3]])],0),
    ):
        try:
            made = make()
            if isinstance(made, (bool, int, str)):
                print(made)
                continue
            value = s.run(made)
            print(type(made).__name__, getattr(made, "shape", None), value.to_list() if hasattr(value, "to_list") else np.array(value).tolist())
        except Exception as e:
            print(type(e).__name__, *([] if isinstance(e, (tf.errors.OpError, IndexError)) else [str(e).split(":")[0].split(" for '")[0].split(" <class")[0].split(" in list passed")[0][:60]]))
# case: chosen
R = tf.ragged.constant
with tf.Session() as s:
    for make in (
        lambda: tf.gather(R([[1],[2,3]]),[1,0,1]),
        lambda: tf.gather(R([[1],[2,3]]),R([[1],[0,1]])),
        lambda: tf.gather([5,6,7],R([[1],[0,1]])),
        lambda: tf.gather(R([[1],[2,3]]),[0],axis=1),
        lambda: tf.gather(R([[1],[2,3]]),[[0],[1]],batch_dims=1),
        lambda: tf.batch_gather(R([[1],[2,3]]),R([[0],[1,0]])),
        lambda: tf.batch_gather([[1,4],[2,3]],R([[0],[1,0]])),
        lambda: tf.gather_nd(R([[1],[2,3]]),[[1,0],[0,0]]),
        lambda: tf.gather_nd(R([[1],[2,3]]),[[1],[0]]),
        lambda: tf.gather_nd([[1,2],[3,4]],R([[[0,1]],[[1,1],[1,0]]],ragged_rank=1)),
        lambda: tf.where(R([[True],[False,True]])),
        lambda: tf.where(R([[True],[False,True]]),R([[1],[2,3]]),R([[4],[5,6]])),
        lambda: tf.where(R([[True],[False,True]]),R([[1],[2,3]]),0),
        lambda: tf.where([True,False],R([[1],[2,3]]),R([[4],[5,6,7]])),
        lambda: tf.boolean_mask(R([[1],[2,3]]),[True,False]),
        lambda: tf.ragged.boolean_mask(R([[1],[2,3]]),[True,False]),
        lambda: tf.ragged.boolean_mask(R([[1],[2,3]]),R([[True],[False,True]])),
        lambda: tf.ragged.boolean_mask([[1,2],[2,3]],[[True,False],[False,False]]),
        lambda: tf.ragged.boolean_mask([1,2,3],[True,False,True]),
        lambda: tf.ragged.boolean_mask(R([[[1],[2]],[[3,4]]]),R([[True,False],[True]])),
        lambda: tf.ragged.boolean_mask([[1,2],[2,3]],True),
        lambda: tf.ragged.boolean_mask(R([[1],[2,3]]),R([[True,True],[False]])),
        lambda: tf.dynamic_partition([1,2,3],R([[1],[0,1]]),2),
        lambda: tf.gather(R([[1],[2,3]]),[[1],[0]]),
        lambda: tf.gather(R([[1],[2,3]]),[2]),
        lambda: tf.gather([5,6,7],R([[1],[0,3]])),
        lambda: tf.batch_gather(R([[1],[2,3]]),[[0],[1]]),
        lambda: tf.batch_gather(R([[1],[2,3]]),[0,1]),
        lambda: tf.batch_gather([1,2,3],R([[0],[1,0]])),
        lambda: tf.batch_gather(R([[[1],[2]],[[3,4]]]),R([[1],[0]])),
        lambda: tf.batch_gather(R([[[1],[2]],[[3,4]]]),R([[[0],[0]],[[1]]])),
        lambda: tf.gather_nd(R([[[1],[2]],[[3,4]]]),[[1,0],[0,1]]),
        lambda: tf.gather_nd(R([[[1],[2]],[[3,4]]]),[1,0,1]),
        lambda: tf.gather_nd(R([[[1,2]],[[3,4]]],ragged_rank=1),[[1,0,1],[0,0,0]]),
        lambda: tf.gather_nd(R([[1],[2,3]]),[[1,1,0]]),
        lambda: tf.gather_nd(R([[1],[2,3]]),R([[[1,0]],[[0,0],[1,1]]],ragged_rank=1)),
        lambda: tf.gather_nd(R([[1],[2,3]]),[[0,1]]),
        lambda: tf.gather_nd(R([[1],[2,3]]),[[]]),
        lambda: tf.where(R([[True],[False,True]]),R([[1],[2,3]])),
        lambda: tf.where(R([[[True]],[[False,True]]])),
        lambda: tf.where([True,False],R([[1],[2,3]]),[[4],[5]]),
        lambda: tf.where(R([[True],[False,True]]),R([[1],[2,3]]),R([[4],[5]])),
        lambda: tf.ragged.boolean_mask([[1,2],[2,3]],R([[True,False],[False,True]])),
        lambda: tf.ragged.boolean_mask([[[1,2],[2,3]]],[[True,False]]),
        lambda: tf.ragged.boolean_mask(R([[1],[2,3]]),[1,0]),
        lambda: tf.ragged.boolean_mask([1,2],tf.placeholder_with_default([True,False],None)),
        lambda: tf.ragged.boolean_mask(R([[[1],[2]],[[3,4]]]),R([[[True],[False]],[[False,True]]])),
        lambda: tf.ragged.boolean_mask(R([[1],[2,3]]),[[True],[False]]),
        lambda: tf.ragged.boolean_mask([[1,2],[2,3],[4,5]],[True,False,True]),
        lambda: tf.compat.v2.where(R([[True],[False,True]]),R([[1],[2,3]]),R([[4],[5,6]])),
        lambda: tf.compat.v2.gather(R([[1],[2,3]]),[1]),
    ):
        try:
            made = make()
            if isinstance(made, (bool, int, str)):
                print(made)
                continue
            value = s.run(made)
            print(type(made).__name__, getattr(made, "shape", None), value.to_list() if hasattr(value, "to_list") else np.array(value).tolist())
        except Exception as e:
            print(type(e).__name__, *([] if isinstance(e, (tf.errors.OpError, IndexError)) else [str(e).split(":")[0].split(" for '")[0].split(" <class")[0].split(" in list passed")[0][:60]]))
# case: axes
R = tf.ragged.constant
with tf.Session() as s:
    for make in (
        lambda: tf.expand_dims(R([[1],[2,3]]),0),
        lambda: tf.expand_dims(R([[1],[2,3]]),1),
        lambda: tf.expand_dims(R([[1],[2,3]]),2),
        lambda: tf.expand_dims(R([[1],[2,3]]),-1),
        lambda: tf.expand_dims(R([[1],[2,3]]),3),
        lambda: tf.squeeze(R([[[1],[2]]]),0),
        lambda: tf.squeeze(R([[[1],[2]]],ragged_rank=1),0),
        lambda: tf.squeeze(R([[[1],[2]]],ragged_rank=1),2),
        lambda: tf.squeeze(R([[[1],[2]]],ragged_rank=1),[0,2]),
        lambda: tf.squeeze(R([[1,2]])),
        lambda: tf.squeeze(R([[1,2]]),1),
        lambda: tf.size(R([[1],[2,3]])),
        lambda: tf.size(R([[1],[2,3]]),out_type=tf.int64),
        lambda: tf.rank(R([[1],[2,3]])),
        lambda: tf.rank(R([[[1,2]],[[2,3]]],ragged_rank=1)),
        lambda: tf.shape(R([[1],[2,3]])),
        lambda: tf.one_hot(R([[1],[2,0]]),3),
        lambda: tf.one_hot(R([[1],[2,0]]),3,axis=1),
        lambda: tf.reshape(R([[1],[2,3]]),[-1]),
        lambda: tf.expand_dims(R([[1],[2,3]])),
        lambda: tf.expand_dims(R([[[1,2]],[[3,4]]],ragged_rank=1),2),
        lambda: tf.expand_dims(R([[[1,2]],[[3,4]]],ragged_rank=1),3),
        lambda: tf.expand_dims(R([[1],[2,3]]),dim=0),
        lambda: tf.squeeze(R([[[1],[2]]]),[0,1]),
        lambda: tf.squeeze(R([[1,2]]),0),
        lambda: tf.squeeze(R([[[[1]],[[2]]]],ragged_rank=1),[2,3]),
        lambda: tf.squeeze(R([[[[1]],[[2]]]],ragged_rank=1),squeeze_dims=[2]),
        lambda: tf.squeeze(R([[1],[2]]),-1),
        lambda: tf.squeeze(R([[1],[2]]),5),
        lambda: tf.rank(R([[1],[2,3]]),name='q'),
        lambda: tf.size(R([[1],[2,3]]),'foo',tf.int64),
        lambda: tf.one_hot(R([[1],[2,0]]),3,axis=0),
        lambda: tf.one_hot(R([[1],[2,0]]),3,axis=-1,on_value=5,off_value=1,dtype=tf.int32),
        lambda: tf.one_hot(R([[1],[2,0]]),3,axis=2),
        lambda: tf.one_hot(R([[1],[2,0]]),3,axis=3),
        lambda: tf.compat.v2.expand_dims(R([[1],[2,3]]),1),
        lambda: tf.compat.v2.size(R([[1],[2,3]])),
        lambda: tf.compat.v2.squeeze(R([[1],[2]]),1),
    ):
        try:
            made = make()
            if isinstance(made, (bool, int, str)):
                print(made)
                continue
            value = s.run(made)
            print(type(made).__name__, getattr(made, "shape", None), value.to_list() if hasattr(value, "to_list") else np.array(value).tolist())
        except Exception as e:
            print(type(e).__name__, *([] if isinstance(e, (tf.errors.OpError, IndexError)) else [str(e).split(":")[0].split(" for '")[0].split(" <class")[0].split(" in list passed")[0][:60]]))
# case: texts
R = tf.ragged.constant
with tf.Session() as s:
    for make in (
        lambda: tf.string_join([R([['a'],['b','c']]),R([['x'],['y','z']])],'-'),
        lambda: tf.strings.join([R([['a'],['b','c']]),'q']),
        lambda: tf.strings.length(R([['a'],['b','cc']])),
        lambda: tf.strings.lower(R([['A'],['b','cc']])),
        lambda: tf.strings.reduce_join(R([['A'],['b','cc']]),1),
        lambda: tf.strings.reduce_join(R([['A'],['b','cc']]),0),
        lambda: tf.strings.reduce_join(R([['A'],['b','cc']]),axis=1,separator=','),
        lambda: tf.compat.v2.strings.reduce_join(R([['A'],['b','cc']]),axis=1,separator=','),
        lambda: tf.compat.v2.strings.reduce_join(R([['A'],['b','cc']])),
        lambda: tf.reduce_join(R([['A'],['b','cc']]),1),
        lambda: tf.as_string(R([[1],[2,3]])),
        lambda: tf.strings.regex_replace(R([['a b'],['c d e','f']]),' ','_'),
        lambda: tf.strings.to_hash_bucket_fast(R([['1'],['2','3']]),10),
        lambda: tf.strings.to_hash_bucket_fast(input=R([['1'],['2','3']]),num_buckets=10),
        lambda: tf.regex_replace(R([['a b'],['c d e','f']]),' ','_'),
        lambda: tf.strings.strip(R([['Ab '],['b','cc']])),
        lambda: tf.strings.unicode_script(R([[1],[2,3]])),
        lambda: tf.strings.reduce_join(R([[['A'],['b','cc']]]),-1),
        lambda: tf.strings.reduce_join(R([[['A'],['b','cc']]]),[1,2]),
        lambda: tf.strings.reduce_join(R([['A'],['b','cc']]),1,keep_dims=True),
        lambda: tf.strings.reduce_join(R([['A'],['b','cc']])),
        lambda: tf.strings.split('a b'),
        lambda: tf.string_split('a b'),
        lambda: tf.string_split([['a b'],['c d e']]),
        lambda: tf.string_split(R([['a b'],['c d e','f']])),
        lambda: tf.compat.v2.strings.length(R([['a'],['bb']])),
        lambda: tf.compat.v2.strings.to_number(R([['1'],['2']])),
        lambda: tf.compat.v2.strings.to_hash_bucket(R([['1'],['2']]),5),
    ):
        try:
            made = make()
            if isinstance(made, (bool, int, str)):
                print(made)
                continue
            value = s.run(made)
            print(type(made).__name__, getattr(made, "shape", None), value.to_list() if hasattr(value, "to_list") else np.array(value).tolist())
        except Exception as e:
            print(type(e).__name__, *([] if isinstance(e, (tf.errors.OpError, IndexError)) else [str(e).split(":")[0].split(" for '")[0].split(" <class")[0].split(" in list passed")[0][:60]]))
# case: operators and subscripts
R = tf.ragged.constant
with tf.Session() as s:
    for make in (
        lambda: R([[1],[2,3]])+1,
        lambda: 1-R([[1],[2,3]]),
        lambda: R([[1],[2,3]])/2,
        lambda: R([[1],[2,3]])==1,
        lambda: bool(R([[1],[2,3]])),
        lambda: R([[1],[2,3]]).to_list(),
        lambda: R([[1],[2,3]]).with_row_splits_dtype(tf.int32).row_splits,
        lambda: R([[1],[2,3]]).with_row_splits_dtype(tf.float32),
        lambda: R([[1],[2,3]])[0],
        lambda: R([[1],[2,3]])[:,0],
        lambda: R([[1],[2,3]])[:,:1],
        lambda: R([[1],[2,3]])[...,:1],
        lambda: R([[1],[2,3]])[tf.newaxis],
        lambda: R([[1],[2,3]])[:,tf.newaxis],
        lambda: R([[1],[2,3]])[-1],
        lambda: R([[1],[2,3]])[0,0],
        lambda: R([[1],[2,3]])[::2],
        lambda: R([[1],[2,3]])[:,1:],
        lambda: R([[1],[2,3]])[::-1],
        lambda: R([[1],[2,3]])[5],
        lambda: R([[1],[2,3]])[tf.constant(1)],
        lambda: R([[1],[2,3]])[...],
        lambda: R([[[1,2]],[[3,4]]],ragged_rank=1)[...,0],
        lambda: R([[[1,2]],[[3,4]]],ragged_rank=1)[:,:,0],
        lambda: R([[[1,2]],[[3,4]]],ragged_rank=1)[0,...],
        lambda: R([[1],[2,3]])[:,tf.newaxis,:],
        lambda: R([[1],[2,3]])[:,:,tf.newaxis],
        lambda: R([[1],[2,3]])['a'],
        lambda: R([[1],[2,3]])[0,0,0],
        lambda: tf.RaggedTensor.from_tensor([[1,0],[2,3]],lengths=[1,2]),
        lambda: tf.RaggedTensor.from_tensor([[[1,0],[2,3]]],lengths=([2],[1,2])),
        lambda: tf.RaggedTensor.from_tensor([[[1,0],[2,3]]],lengths=([2],[1,2])),
        lambda: tf.RaggedTensor.from_tensor([1,2]),
        lambda: R([[1],[2,3]])[:,tf.constant(0)],
        lambda: R([[1],[2,3]]).bounding_shape(),
        lambda: R([[1],[2,3]]).row_lengths(2),
        lambda: R([[[1],[2]],[[3,4]]]).row_lengths(2),
        lambda: R([[1],[2,3]]).to_tensor(5),
        lambda: R([[[1],[2,3]]]).to_tensor(),
        lambda: R([[1],[2,3]]).nrows(out_type=tf.int32),
        lambda: R([[1],[2,3]]).value_rowids(),
        lambda: R([[1],[2,3]],row_splits_dtype=tf.int32)+R([[1],[2,3]]),
    ):
        try:
            made = make()
            if isinstance(made, (bool, int, str)):
                print(made)
                continue
            value = s.run(made)
            print(type(made).__name__, getattr(made, "shape", None), value.to_list() if hasattr(value, "to_list") else np.array(value).tolist())
        except Exception as e:
            print(type(e).__name__, *([] if isinstance(e, (tf.errors.OpError, IndexError)) else [str(e).split(":")[0].split(" for '")[0].split(" <class")[0].split(" in list passed")[0][:60]]))
# case: linear operators
R = tf.ragged.constant
with tf.Session() as s:
    for make in (
        lambda: tf.matmul(tf.linalg.LinearOperatorDiag([1.,2.]),[[1.],[2.]]),
        lambda: tf.linalg.inv(tf.linalg.LinearOperatorDiag([1.,2.])).to_dense(),
        lambda: tf.cholesky(tf.linalg.LinearOperatorDiag([1.,4.])).to_dense(),
        lambda: tf.linalg.solve(tf.linalg.LinearOperatorDiag([1.,4.]),[[1.],[2.]]),
        lambda: tf.linalg.det(tf.linalg.LinearOperatorDiag([1.,4.])),
        lambda: tf.linalg.logdet(tf.linalg.LinearOperatorDiag([1.,4.])),
        lambda: tf.linalg.trace(tf.linalg.LinearOperatorDiag([1.,4.])),
        lambda: tf.linalg.diag_part(tf.linalg.LinearOperatorDiag([1.,4.])),
        lambda: tf.linalg.adjoint(tf.linalg.LinearOperatorDiag([1.,4.])).to_dense(),
        lambda: tf.matmul(tf.linalg.LinearOperatorDiag([1.,2.]),tf.linalg.LinearOperatorDiag([1.,2.])).to_dense(),
    ):
        try:
            made = make()
            if isinstance(made, (bool, int, str)):
                print(made)
                continue
            value = s.run(made)
            print(type(made).__name__, getattr(made, "shape", None), value.to_list() if hasattr(value, "to_list") else np.array(value).tolist())
        except Exception as e:
            print(type(e).__name__, *([] if isinstance(e, (tf.errors.OpError, IndexError)) else [str(e).split(":")[0].split(" for '")[0].split(" <class")[0].split(" in list passed")[0][:60]]))
# case: others
R = tf.ragged.constant
with tf.Session() as s:
    for make in (
        lambda: tf.sigmoid(R([[1.],[2,0]])),
        lambda: tf.nn.relu(R([[1.],[2,0]])),
        lambda: tf.nn.dropout(R([[1.],[2,0]]),0.5),
        lambda: tf.tanh(R([[1.],[2,0]])),
        lambda: tf.div(R([[1.],[2,0]]),2),
        lambda: tf.reverse(R([[1],[2,3]]),[0]),
        lambda: tf.transpose(R([[1],[2,3]])),
        lambda: tf.convert_to_tensor(R([[1],[2,3]])),
        lambda: tf.map_fn(tf.reduce_sum,R([[1],[2,3]]),dtype=tf.int32),
        lambda: tf.foldl(tf.add,R([[1],[2,3]])),
        lambda: tf.nn.embedding_lookup(tf.constant([[1.],[2.],[3.]]),R([[1],[2,0]])),
        lambda: tf.verify_tensor_all_finite(R([[1.],[2,3]]),'x'),
        lambda: tf.reverse_sequence(R([[1.],[2,3]]),[1,2],1),
        lambda: tf.math.bincount(R([[1],[2]])),
    ):
        try:
            made = make()
            if isinstance(made, (bool, int, str)):
                print(made)
                continue
            value = s.run(made)
            print(type(made).__name__, getattr(made, "shape", None), value.to_list() if hasattr(value, "to_list") else np.array(value).tolist())
        except Exception as e:
            print(type(e).__name__, *([] if isinstance(e, (tf.errors.OpError, IndexError)) else [str(e).split(":")[0].split(" for '")[0].split(" <class")[0].split(" in list passed")[0][:60]]))
