"""Every op has samples, cases in the grid, or a reason why it has neither."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from headwater.graph import records

TESTS = Path(__file__).parents[1]

# {(why samples and the grid cannot hold the op, where it is tested): op types}
REASONS = {
    ("it waits for other runs", "ops/queues/test_batching.py"): "Batch Unbatch UnbatchGrad",
    (
        "its two ends are on different tasks",
        "distributed/test_cluster.py",
    ): "_HostRecv _HostSend _Recv _Send",
    ("it works on a resource", "ops/trees/test_ensembles.py"): """
        BoostedTreesCenterBias BoostedTreesCreateEnsemble BoostedTreesDeserializeEnsemble
        BoostedTreesEnsembleResourceHandleOp BoostedTreesExampleDebugOutputs
        BoostedTreesGetEnsembleStates BoostedTreesPredict BoostedTreesSerializeEnsemble
        BoostedTreesTrainingPredict BoostedTreesUpdateEnsemble BoostedTreesUpdateEnsembleV2
        IsBoostedTreesEnsembleInitialized""",
    ("it works on a resource", "ops/trees/test_quantiles.py"): """
        BoostedTreesCreateQuantileStreamResource BoostedTreesFlushQuantileSummaries
        BoostedTreesQuantileStreamResourceAddSummaries
        BoostedTreesQuantileStreamResourceDeserialize BoostedTreesQuantileStreamResourceFlush
        BoostedTreesQuantileStreamResourceGetBucketBoundaries
        BoostedTreesQuantileStreamResourceHandleOp
        IsBoostedTreesQuantileStreamResourceInitialized""",
    ("it works on a resource", "ops/trees/test_splits.py"): (
        "BoostedTreesSparseCalculateBestFeatureSplit"
    ),
    ("it updates lists of variables", "ops/linear_models/test_sdca.py"): "SdcaShrinkL1",
    ("elements come from an iterator", "differential/cases/datasets_iterators.py"): """
        BatchDatasetV2 FlatMapDataset Iterator IteratorV2 OneShotIterator AnonymousIterator
        AnonymousIteratorV2 DeleteIterator MakeIterator IteratorGetNext IteratorGetNextSync
        IteratorGetNextAsOptional DatasetToSingleElement IteratorToStringHandle
        IteratorFromStringHandle IteratorFromStringHandleV2 IteratorGetDevice
        ExperimentalIteratorGetDevice MapDataset ModelDataset OptimizeDataset OptionalFromValue
        OptionalGetValue OptionalHasValue OptionalNone RaggedTensorFromVariant
        RaggedTensorToVariant RangeDataset TensorDataset TensorSliceDataset""",
    ("elements come from an iterator", "data/datasets/test_iterators.py"): """
        BatchDataset SerializeIterator DeserializeIterator WrapDatasetVariant
        UnwrapDatasetVariant""",
    ("elements come from an iterator", "differential/cases/datasets_mapping.py"): """
        ChooseFastestDataset ExperimentalChooseFastestDataset ExperimentalIgnoreErrorsDataset
        ExperimentalMapAndBatchDataset ExperimentalMaxIntraOpParallelismDataset
        ExperimentalNonSerializableDataset ExperimentalParallelInterleaveDataset
        ExperimentalPrivateThreadPoolDataset ExperimentalScanDataset ExperimentalSleepDataset
        ExperimentalTakeWhileDataset ExperimentalThreadPoolDataset ExperimentalThreadPoolHandle
        FilterDataset IgnoreErrorsDataset InterleaveDataset MapAndBatchDataset
        MaxIntraOpParallelismDataset NonSerializableDataset ParallelInterleaveDataset
        ParallelInterleaveDatasetV2 ParallelMapDataset PrefetchDataset PrivateThreadPoolDataset
        ReduceDataset ScanDataset SleepDataset TakeWhileDataset ThreadPoolDataset
        ThreadPoolHandle""",
    ("elements come from an iterator", "data/datasets/test_mapping.py"): """
        ChooseFastestBranchDataset ExperimentalMapDataset FilterByLastComponentDataset""",
    ("elements come from an iterator", "differential/cases/datasets_sources.py"): """
        CSVDataset DatasetCardinality DatasetToTFRecord FixedLengthRecordDatasetV2 GeneratorDataset
        ParseExampleDataset RandomDataset SparseTensorSliceDataset SqlDataset TFRecordDataset
        TextLineDataset""",
    ("elements come from an iterator", "data/datasets/test_sources.py"): """
        ExperimentalCSVDataset ExperimentalDatasetCardinality ExperimentalDatasetToTFRecord
        ExperimentalLMDBDataset ExperimentalMatchingFilesDataset ExperimentalParseExampleDataset
        ExperimentalRandomDataset ExperimentalSqlDataset FixedLengthRecordDataset LMDBDataset
        MatchingFilesDataset""",
    ("elements come from an iterator", "differential/cases/datasets_services.py"): """
        BytesProducedStatsDataset LatencyStatsDataset SetStatsAggregatorDataset
        StatsAggregatorHandle StatsAggregatorSummary""",
    ("elements come from an iterator", "differential/cases/datasets_snapshot.py"): (
        "SnapshotDataset"
    ),
    ("elements come from an iterator", "data/datasets/test_stats.py"): """
        ExperimentalBytesProducedStatsDataset ExperimentalLatencyStatsDataset
        ExperimentalSetStatsAggregatorDataset ExperimentalStatsAggregatorHandle
        ExperimentalStatsAggregatorSummary StatsAggregatorHandleV2
        StatsAggregatorSetSummaryWriter""",
    ("elements come from an iterator", "data/datasets/test_devices.py"): """
        AnonymousMultiDeviceIterator DeleteMultiDeviceIterator MultiDeviceIterator
        MultiDeviceIteratorFromStringHandle MultiDeviceIteratorGetNextFromShard
        MultiDeviceIteratorInit MultiDeviceIteratorToStringHandle""",
    ("elements come from an iterator", "differential/cases/datasets_order.py"): """
        CacheDataset ConcatenateDataset RepeatDataset ShardDataset ShuffleAndRepeatDataset
        ShuffleDataset SkipDataset TakeDataset ZipDataset""",
    ("elements come from an iterator", "differential/cases/datasets_graphs.py"): """
        AssertNextDataset DatasetFromGraph DatasetToGraph ExperimentalAssertNextDataset MapDefun
    """,
    ("elements come from an iterator", "differential/cases/datasets_groups.py"): """
        AutoShardDataset DenseToSparseBatchDataset DirectedInterleaveDataset
        ExperimentalGroupByReducerDataset GroupByWindowDataset PaddedBatchDatasetV2
        RebatchDataset SamplingDataset SlidingWindowDataset UnbatchDataset UniqueDataset
        WindowDataset""",
    ("elements come from an iterator", "data/datasets/test_ordering.py"): """
        AnonymousMemoryCache AnonymousRandomSeedGenerator CacheDatasetV2 DeleteMemoryCache
        DeleteRandomSeedGenerator ExperimentalAutoShardDataset
        ExperimentalDenseToSparseBatchDataset ExperimentalDirectedInterleaveDataset
        ExperimentalGroupByWindowDataset ExperimentalRebatchDataset
        ExperimentalSlidingWindowDataset ExperimentalUnbatchDataset ExperimentalUniqueDataset
        GroupByReducerDataset PaddedBatchDataset ShuffleDatasetV2""",
    ("several runs put in and take out", "ops/queues/test_queues.py"): """
        FIFOQueue FIFOQueueV2 PaddingFIFOQueue PaddingFIFOQueueV2 PriorityQueue PriorityQueueV2
        RandomShuffleQueue RandomShuffleQueueV2 FakeQueue QueueClose QueueCloseV2 QueueDequeue
        QueueDequeueV2 QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2
        QueueEnqueue QueueEnqueueV2 QueueEnqueueMany QueueEnqueueManyV2 QueueIsClosed
        QueueIsClosedV2 QueueSize QueueSizeV2""",
    ("several runs put in and take out", "model/queues/test_map_staging.py"): """
        Stage StageSize Unstage MapIncompleteSize MapPeek MapSize MapStage MapUnstage
        MapUnstageNoKey OrderedMapClear OrderedMapSize OrderedMapStage OrderedMapUnstageNoKey""",
    ("several runs put in and take out", "model/queues/test_barrier.py"): """
        Barrier BarrierClose BarrierIncompleteSize BarrierInsertMany BarrierReadySize
        BarrierTakeMany""",
    ("several runs put in and take out", "differential/cases/accumulators.py"): """
        AccumulatorNumAccumulated AccumulatorSetGlobalStep ResourceAccumulatorApplyGradient
        ResourceAccumulatorNumAccumulated ResourceAccumulatorSetGlobalStep
        ResourceAccumulatorTakeGradient ResourceConditionalAccumulator
        SparseAccumulatorApplyGradient SparseAccumulatorTakeGradient SparseConditionalAccumulator
        StagePeek StageClear""",
    ("trees grow over several runs", "contrib/boosted_trees/test_gbdt_batch.py"): """
        CreateQuantileAccumulator CreateStatsAccumulatorScalar CreateStatsAccumulatorTensor
        CreateTreeEnsembleVariable DecisionTreeEnsembleResourceHandleOp
        GradientTreesPartitionExamples GradientTreesPrediction
        QuantileAccumulatorAddSummaries QuantileAccumulatorFlush QuantileAccumulatorGetBuckets
        QuantileStreamResourceHandleOp StatsAccumulatorScalarAdd StatsAccumulatorScalarFlush
        StatsAccumulatorScalarMakeSummary StatsAccumulatorScalarResourceHandleOp
        StatsAccumulatorScalarSerialize StatsAccumulatorTensorAdd StatsAccumulatorTensorFlush
        StatsAccumulatorTensorMakeSummary StatsAccumulatorTensorResourceHandleOp
        TreeEnsembleSerialize TreeEnsembleStampToken TreeEnsembleStats TreeEnsembleUsedHandlers
        BuildSparseInequalitySplits BuildCategoricalEqualitySplits""",
    ("it works on a resource", "ops/trees/test_gradient_trees.py"): """
        BuildDenseInequalitySplits CenterTreeEnsembleBias GradientTreesPredictionVerbose
        GrowTreeEnsemble QuantileAccumulatorDeserialize QuantileAccumulatorFlushSummary
        QuantileAccumulatorIsInitialized QuantileAccumulatorSerialize
        StatsAccumulatorScalarDeserialize StatsAccumulatorScalarIsInitialized
        StatsAccumulatorTensorDeserialize StatsAccumulatorTensorIsInitialized
        StatsAccumulatorTensorSerialize TreeEnsembleDeserialize TreeEnsembleIsInitializedOp""",
    ("trees grow over several runs", "contrib/tensor_forest/test_forest.py"): """
        CreateFertileStatsVariable CreateTreeVariable DecisionTreeResourceHandleOp
        FeatureUsageCounts FertileStatsDeserialize FertileStatsIsInitializedOp
        FertileStatsResourceHandleOp FertileStatsSerialize FinalizeTree GrowTreeV4 ProcessInputV4
        ScatterAddNdim TraverseTreeV4 TreeDeserialize TreeIsInitializedOp TreePredictionsV4
        TreeSerialize TreeSize UpdateModelV4""",
    ("several runs put in and take out", "differential/cases/sparse_tensors_map.py"): """
        TakeManySparseFromTensorsMap""",
    ("several runs put in and take out", "differential/cases/raw_ops.py"): """
        OrderedMapIncompleteSize OrderedMapPeek OrderedMapUnstage MapClear
        AccumulatorApplyGradient AccumulatorTakeGradient ConditionalAccumulator""",
    ("runs wait for each other", "ops/queues/test_collective.py"): """
        CollectiveBcastRecv CollectiveBcastSend CollectiveGather CollectiveReduce""",
    ("runs wait for each other", "contrib/test_nccl.py"): """
        NcclAllReduce NcclBroadcast NcclReduce""",
    ("runs wait for each other", "differential/cases/critical_sections.py"): """
        ConsumeMutexLock MutexLock MutexV2""",
    ("several nodes are one loop", "graph/test_control_flow.py"): """
        Enter Exit NextIteration""",
    ("several nodes are one loop", "differential/cases/control_flow.py"): """
        RefEnter RefNextIteration""",
    ("takes functions of the graph", "differential/cases/raw_ops.py"): """
        Case StatelessIf StatelessWhile StatefulPartitionedCall""",
    ("takes functions of the graph", "model/test_defun.py"): """
        For If While PartitionedCall RemoteCall SymbolicGradient _RemoteTarget""",
    ("calls functions of Python", "differential/cases/py_functions.py"): """
        EagerPyFunc PyFunc""",
    ("calls functions of Python", "differential/cases/py_func.py"): "PyFuncStateless",
    ("lists of tensors are no arrays", "differential/cases/raw_ops.py"): "TensorListConcat",
    ("lists of tensors are no arrays", "differential/cases/tensor_lists.py"): """
        TensorListConcatLists TensorListPushBackBatch TensorListReserve
        TensorListScatterIntoExistingList TensorListScatterV2""",
    ("lists of tensors are no arrays", "ops/control/test_tensor_lists.py"): """
        EmptyTensorList""",
    ("has no kernel for CPUs in TensorFlow", "contrib/test_cudnn_rnn.py"): """
        CudnnRNN CudnnRNNV2 CudnnRNNV3 CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3
        CudnnRNNCanonicalToParams CudnnRNNParamsSize CudnnRNNParamsToCanonical""",
    ("has no kernel for CPUs in TensorFlow", "contrib/test_cudnn_projections.py"): """
        CudnnRNNCanonicalToParamsV2 CudnnRNNParamsToCanonicalV2""",
    ("reads or writes files", "differential/cases/raw_ops.py"): """
        ImmutableConst InitializeTableFromTextFile""",
    ("reads or writes files", "differential/cases/saver.py"): """
        MergeV2Checkpoints Restore RestoreSlice RestoreV2 Save SaveSlices SaveV2 ShardedFilespec""",
    ("reads or writes files", "differential/cases/checkpoint_values.py"): """
        GenerateVocabRemapping LoadAndRemapMatrix""",
    ("reads or writes files", "differential/cases/tables.py"): """
        InitializeTableFromTextFileV2""",
    ("reads or writes files", "differential/cases/summary_writers.py"): """
        CloseSummaryWriter CreateSummaryDbWriter CreateSummaryFileWriter FlushSummaryWriter
        ImportEvent SummaryWriter
        WriteAudioSummary WriteGraphSummary WriteHistogramSummary WriteImageSummary
        WriteRawProtoSummary WriteScalarSummary WriteSummary""",
    ("reads or writes files", "ops/files/test_matching_files.py"): "MatchingFiles",
    ("reads or writes files", "ops/files/test_read_write.py"): "ReadFile WriteFile",
    ("reads or writes files", "ops/files/test_record_input.py"): "RecordInput",
    ("reads or writes files", "data/readers/test_readers.py"): """
        ReaderNumRecordsProducedV2 ReaderNumWorkUnitsCompletedV2 ReaderReadV2 ReaderReadUpToV2
        ReaderResetV2 ReaderRestoreStateV2 ReaderSerializeStateV2 FixedLengthRecordReaderV2
        IdentityReaderV2 TextLineReaderV2 TFRecordReaderV2 WholeFileReaderV2""",
    ("reads or writes files", "data/readers/test_older_readers.py"): """
        ReaderNumRecordsProduced ReaderNumWorkUnitsCompleted ReaderRead ReaderReadUpTo
        ReaderReset ReaderRestoreState ReaderSerializeState FixedLengthRecordReader
        IdentityReader TextLineReader TFRecordReader WholeFileReader LMDBReader""",
    ("reads or writes files", "ops/nn/test_word2vec.py"): "Skipgram",
    ("draws random numbers", "contrib/test_skip_grams.py"): "SkipGramGenerateCandidates",
    ("only TPUs run it", "contrib/test_tpu_system.py"): """
        ConfigureDistributedTPU ShutdownDistributedTPU InfeedEnqueue InfeedEnqueueTuple
        InfeedDequeue InfeedDequeueTuple OutfeedEnqueue OutfeedEnqueueTuple OutfeedDequeue
        OutfeedDequeueTuple""",
    ("only TPUs run it", "ops/test_ops_without_kernels.py"): """
        AllToAll CollectivePermute ConfigureTPUEmbedding EnqueueTPUEmbeddingIntegerBatch
        EnqueueTPUEmbeddingSparseBatch EnqueueTPUEmbeddingSparseTensorBatch
        InfeedEnqueuePrelinearizedBuffer LoadTPUEmbeddingADAMParameters
        LoadTPUEmbeddingADAMParametersGradAccumDebug LoadTPUEmbeddingAdadeltaParameters
        LoadTPUEmbeddingAdadeltaParametersGradAccumDebug LoadTPUEmbeddingAdagradParameters
        LoadTPUEmbeddingAdagradParametersGradAccumDebug
        LoadTPUEmbeddingCenteredRMSPropParameters LoadTPUEmbeddingFTRLParameters
        LoadTPUEmbeddingFTRLParametersGradAccumDebug LoadTPUEmbeddingMDLAdagradLightParameters
        LoadTPUEmbeddingMomentumParameters LoadTPUEmbeddingMomentumParametersGradAccumDebug
        LoadTPUEmbeddingProximalAdagradParameters
        LoadTPUEmbeddingProximalAdagradParametersGradAccumDebug
        LoadTPUEmbeddingRMSPropParameters LoadTPUEmbeddingRMSPropParametersGradAccumDebug
        LoadTPUEmbeddingStochasticGradientDescentParameters Prelinearize PrelinearizeTuple
        RecvTPUEmbeddingActivations RetrieveTPUEmbeddingADAMParameters
        RetrieveTPUEmbeddingADAMParametersGradAccumDebug
        RetrieveTPUEmbeddingAdadeltaParameters
        RetrieveTPUEmbeddingAdadeltaParametersGradAccumDebug
        RetrieveTPUEmbeddingAdagradParameters
        RetrieveTPUEmbeddingAdagradParametersGradAccumDebug
        RetrieveTPUEmbeddingCenteredRMSPropParameters RetrieveTPUEmbeddingFTRLParameters
        RetrieveTPUEmbeddingFTRLParametersGradAccumDebug
        RetrieveTPUEmbeddingMDLAdagradLightParameters RetrieveTPUEmbeddingMomentumParameters
        RetrieveTPUEmbeddingMomentumParametersGradAccumDebug
        RetrieveTPUEmbeddingProximalAdagradParameters
        RetrieveTPUEmbeddingProximalAdagradParametersGradAccumDebug
        RetrieveTPUEmbeddingRMSPropParameters
        RetrieveTPUEmbeddingRMSPropParametersGradAccumDebug
        RetrieveTPUEmbeddingStochasticGradientDescentParameters SendTPUEmbeddingGradients
        TPUCompilationResult TPUOrdinalSelector TPUPartitionedCall
        TPUReplicateMetadata TPUReplicatedInput TPUReplicatedOutput WorkerHeartbeat""",
    ("only builds with MKL run it", "ops/test_ops_without_kernels.py"): """
        QuantizedConv2DAndRelu QuantizedConv2DAndReluAndRequantize
        QuantizedConv2DAndRequantize QuantizedConv2DPerChannel QuantizedConv2DWithBias
        QuantizedConv2DWithBiasAndRelu QuantizedConv2DWithBiasAndReluAndRequantize
        QuantizedConv2DWithBiasAndRequantize
        QuantizedConv2DWithBiasSignedSumAndReluAndRequantize QuantizedConv2DWithBiasSumAndRelu
        QuantizedConv2DWithBiasSumAndReluAndRequantize QuantizedDepthwiseConv2D
        QuantizedDepthwiseConv2DWithBias QuantizedDepthwiseConv2DWithBiasAndRelu
        QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize QuantizedMatMulWithBias
        QuantizedMatMulWithBiasAndRelu QuantizedMatMulWithBiasAndReluAndRequantize
        RequantizationRangePerChannel RequantizePerChannel""",
    ("depends on the accelerator", "ops/test_memory_statistics.py"): """
        BytesInUse BytesLimit MaxBytesInUse""",
    ("calls the program ffmpeg", "differential/cases/audio.py"): """
        DecodeAudio DecodeAudioV2 DecodeVideo EncodeAudio EncodeAudioV2""",
    ("prints", "differential/cases/printing.py"): "PrintV2",
    ("its values are random", "differential/cases/einsum_op.py"): "NonDeterministicInts",
    ("its values are random", "contrib/test_stereograms.py"): "SingleImageRandomDotStereograms",
    ("its values are random", "ops/random/test_stateful_binomial.py"): "StatefulRandomBinomial",
    ("its values are random", "differential/cases/stateful_random.py"): "StatefulUniformInt",
    ("is the gradient of an op that has samples", "differential/cases/contrib_image.py"): """
        ResamplerGrad""",
    ("is the gradient of an op that has samples", "differential/cases/scale_and_translate.py"): """
        ScaleAndTranslateGrad""",
    ("only graphs made by hand have it", "ops/test_schemas.py"): "DebugGradientRefIdentity RefExit",
    ("is there for TensorFlow's own tests", "differential/cases/framework_ops.py"): """
        DevicePlacementOp GraphDefVersion KernelLabel KernelLabelRequired Old
        RequiresOlderGraphVersion ResourceUsingOp TestAttr""",
    ("is there for TensorFlow's own tests", "differential/cases/framework_members.py"): """
        ResourceCreateOp ResourceInitializedOp StubResourceHandleOp""",
    (
        "is part of functions of rows",
        "data/datasets/test_examples_of_files.py",
    ): "_SerializeSparseRows",
    ("is a signature without a kernel", "differential/cases/op_def_library.py"): """
        A Attr AttrBool AttrBoolList AttrDefault AttrEmptyListDefault AttrEnum AttrEnumList
        AttrFloat AttrListDefault AttrListMin AttrListTypeDefault AttrMin AttrPartialShape
        AttrPartialShapeList AttrShape AttrShapeList AttrTypeDefault B Binary ComplexStruct
        CopyOp DefaultAttrs FiveFloatOutputs FloatInput FloatOutput FloatOutputStringOutput Foo1
        Foo2 Foo3 FuncAttr FuncListAttr InPolymorphicTwice Int64Output IntAttr IntInput
        IntInputFloatInput IntInputIntOutput IntOutput IntOutputFloatOutput ListInput ListOutput
        MixedStruct NInPolymorphicTwice NInTwice NInTwoTypeVariables NIntsIn NIntsOut
        NIntsOutDefault NPolymorphicIn NPolymorphicOut NPolymorphicOutDefault
        NPolymorphicRestrictIn NPolymorphicRestrictOut None OpWithDefaultAttr
        OpWithFutureDefaultAttr OutT OutTypeList OutTypeListRestrict Polymorphic
        PolymorphicDefaultOut PolymorphicOut RefIn RefInputFloatInput RefInputFloatInputIntOutput
        RefInputIntInput RefOut RefOutput RefOutputFloatOutput ReservedAttr ReservedInput
        Restrict Simple SimpleStruct StringListAttr TestStringOutput TwoFloatInputs
        TwoFloatInputsFloatOutput TwoFloatInputsIntOutput TwoFloatOutputs TwoIntInputs
        TwoIntOutputs TwoRefsIn TypeList TypeListRestrict TypeListTwice Unary""",
}


@pytest.fixture
def in_grid(monkeypatch):
    """The op types that have cases in the grid, whose files import each other by plain names."""
    monkeypatch.setattr(sys, "path", [str(TESTS / "grid"), *sys.path])
    importlib.import_module("families")
    return {op for ops in importlib.import_module("cases").families().values() for op in ops}


def test_every_op_has_samples_or_cases_or_a_reason(in_grid, op_types):
    without_samples = {op.name for op in records() if op.samples is None}
    excused = [op for ops in REASONS.values() for op in ops.split()]
    assert len(excused) == len(set(excused))
    assert (without_samples & op_types) - in_grid == set(excused)


def test_reasons_name_tests_that_are_there():
    assert not [place for _, place in REASONS if not (TESTS / place).is_file()]
