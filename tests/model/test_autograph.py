"""Functions whose control flow depends on tensors; texts are those of TensorFlow 1.15.5."""

import functools

import pytest

import headwater as tf

to_graph = tf.autograph.to_graph


def run(value):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(value)


# Functions that take a number or a tensor: both must give the same. `==` of tensors compares
# objects, as it does in TensorFlow 1.15.


def equal(x, y):
    return not (x < y or x > y)


def both_return(x):
    if x > 3:
        return x * 2
    else:
        return -x


def falls_through(x):
    if x > 3:
        return x * 2
    x = x + 1
    if equal(x, 3):
        return x * 100
    return -x


def returns_deep(x):
    if x > 1:
        if x > 3:
            return x * 7
        x = x + 10
    return x


def elif_chain(x):
    if x < 0:
        y = 1
    elif x < 3:
        y = 2
    elif x < 5:
        y = 3
    else:
        y = 4
    return y + x


def collatz(x):
    steps = 0
    while x > 1:
        if equal(x % 2, 0):
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    return steps


def nested_loops(x):
    total, i = 0, 0
    while i < x:
        j = 0
        while j < i:
            total += j
            j += 1
        i += 1
    return total


def jumps(x):
    total, i = 0, 0
    while True and i < x + 10:
        i += 1
        if equal(i, 3):
            continue
        if i > 6:
            break
        total += i
    else:
        total = total - 100
    return total


def logic(x):
    if (x > 0 and x < 3) or not x < 5:
        return x
    return 0 if 0 <= x < 4 else 10


def ranges(x):
    total = 0
    for i in range(x):
        for j in range(i):
            if equal(j, 3):
                break
            total += j
    return total


def shared(x):
    total = 0

    def add(y):
        nonlocal total
        if y > 2:
            total = total + y
        else:
            total = total - y
        return total

    add(x)
    return add(x + 1)


def calls_others(x):
    return collatz(x) + (lambda y: y if y > 2 else -y)(x)


def with_default(x, *, y=2, **options):
    if x > y:
        x = x + options.get("z", 1)
    return x


def unused_before(x):
    if x > 2:
        y = x * 2
        x = y + 1
    z = 0
    while z < x:
        y = z
        z = y + 1
    return z


FUNCTIONS = [
    both_return, falls_through, returns_deep, elif_chain, collatz, nested_loops, jumps, logic,
    ranges, shared, calls_others, with_default, unused_before,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_tensors_give_what_numbers_give(function):
    converted = to_graph(function)
    inputs = range(-1, 8)
    wanted = [function(x) for x in inputs]
    assert [converted(x) for x in inputs] == wanted  # numbers stay numbers
    x = tf.placeholder(tf.int32, [])
    result = converted(x)
    with tf.Session() as session:
        assert [session.run(result, {x: value}) for value in inputs] == wanted


# Functions of Python only, which conversion must not change.


def try_and_with(items):
    seen = []
    for item in items:
        try:
            if item == 0:
                raise ValueError(item)
            seen.append(10 // item)
        except ValueError as error:
            seen.append(str(error))
        else:
            if item > 3:
                return seen
        finally:
            seen.append("f")
    return seen


def for_else(items):
    for item in items:
        if item > 3:
            found = item
            break
    else:
        found = None
    return found


def comprehension(items):
    picked = [x for x in items if x > 1 and x != 2]
    return picked, {str(k): v for k, v in enumerate(items)}, max(items)


def starred(items):
    first, *rest = items
    if first < 3:
        return (*rest, first)
    return sorted(rest, key=lambda x: -x)


def none_or(items):
    for item in items:
        if item == 4:
            return item


def matched(items):
    while items:
        item = items[0]
        items = items[1:]
        if item is None:
            continue
        if isinstance(item, int) and (half := item // 2) > 1:
            return half
    return "nothing"


@pytest.mark.parametrize(
    "function", [try_and_with, for_else, comprehension, starred, none_or, matched]
)
@pytest.mark.parametrize("items", [(1, 2, 3), (0, 4, 5, 6), (5, 1)])
def test_python_stays_python(function, items):
    assert to_graph(function)(items) == function(items)


def test_errors_of_python_come_from_the_line_of_the_program():
    def divide(x):
        if x > 0:
            return x // 0
        return y  # noqa: F821

    with pytest.raises(ZeroDivisionError) as info:
        to_graph(divide)(1)
    assert info.traceback[-1].path.name == "test_autograph.py"
    with pytest.raises(NameError, match="name 'y' is not defined"):
        to_graph(divide)(-1)


def test_loops_over_tensors():
    def total(rows):
        result = tf.zeros([2])
        for row in rows:
            if tf.reduce_sum(row) > 100:
                break
            result += row
        return result

    rows = tf.constant([[1.0, 2.0], [3.0, 4.0], [99.0, 9.0], [5.0, 6.0]])
    assert run(to_graph(total)(rows)).tolist() == [4.0, 6.0]


def test_loops_over_datasets():
    def total(dataset):
        result = tf.constant(0, tf.int64)
        for x in dataset:
            if equal(x, 3):
                continue
            result += x
        return result

    assert run(to_graph(total)(tf.data.Dataset.range(6))) == 12


def test_builtins_take_tensors():
    def sizes(x):
        return len(x) + int(2.5) + int(x[0]), float(x[1]), len("abc")

    assert run(to_graph(sizes)(tf.constant([5, 6]))[:2]) == (9, 6.0)


def test_attributes_are_part_of_the_state():
    class Counter:
        def __init__(self):
            self.__count = tf.constant(0)
            self.last = tf.constant(-1)

        def add(self, x):
            if x > 0:
                self.__count += x
            else:
                self.last = x
            return self.__count, self.last

        def __call__(self, x):
            while x > 0:
                x -= 1
            return super().__eq__(self), x

    x = tf.placeholder(tf.int32, [])
    count, last = to_graph(Counter().add)(x)
    with tf.Session() as session:
        assert session.run([count, last], {x: 3}) == [3, -1]
        assert session.run([count, last], {x: -3}) == [0, -3]
    same, zero = to_graph(Counter())(x)
    assert same is True and isinstance(zero, tf.Tensor)


def test_gradients_go_through():
    def power(x, n):
        y = x
        for _ in tf.range(n):
            y = y * x
        return y if x > 0 else -y

    x = tf.constant(3.0)
    assert run(tf.gradients(to_graph(power)(x, 2), x)) == [27.0]


def one_branch_returns(x):
    if x > 0:
        return x


def one_branch_assigns(x):
    if x > 0:
        y = 1.0
    return y


def other_branch_assigns(x):
    if x > 0:
        pass
    else:
        y = 1.0
    return y


def loop_defines(x):
    while x < 10:
        y = x
        x += 1
    return y


def two_types(x):
    if x > 0:
        y = 1
    else:
        y = 2.0
    return y


def loop_changes_type(x):
    y = 1
    while x < 10:
        y = tf.cast(y, tf.float32) * 1.5
        x += 1
    return y


def returns_in_loop(x):
    while x < 10:
        if x == 5:
            return x
        x += 1
    return x


def starts_with_none(x):
    y = None
    while x < 10:
        y = x
        x += 1
    return y


@pytest.mark.parametrize(
    ("function", "kind", "text"),
    [
        (
            one_branch_returns,
            ValueError,
            "A value must also be returned from the else branch. If a",
        ),
        (one_branch_assigns, ValueError, r"must also be initialized in the else branch: \('y',\)"),
        (other_branch_assigns, ValueError, r"also be initialized in the main branch: \('y',\)"),
        (loop_defines, ValueError, r"must be defined before the loop: \('y',\)"),
        (two_types, TypeError, '"y" has dtype int32 in the TRUE branch, but dtype=float32 in the'),
        (
            loop_changes_type,
            TypeError,
            '"y" has dtype int32 before the loop, but dtype float32 aft',
        ),
        (returns_in_loop, ValueError, "return statements are not supported within a TensorFlow lo"),
        (starts_with_none, ValueError, '"y" is None before the loop and changes in it'),
    ],
)
def test_what_nodes_cannot_do(function, kind, text):
    with pytest.raises(kind, match=text):
        to_graph(function)(tf.constant(5))


def test_to_graph_refuses_what_is_no_function():
    with pytest.raises(NotImplementedError, match='cannot convert entity "3": object conversion'):
        to_graph(3)


def test_functions_of_the_library_convert():
    @tf.function
    def magnitude(x):
        if x < 0:
            return -x
        return x

    class Model:
        @tf.function
        def double_up(self, x):
            while x < 100.0:
                x = x * 2.0
            return x

    @tf.function(autograph=False)
    def unconverted(x):
        return x if x > 0 else -x

    assert run([magnitude(tf.constant(-3.0)), Model().double_up(tf.constant(7.0))]) == [3.0, 112.0]
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match=r"tf\.autograph\.to_graph"):
        unconverted(tf.constant(1.0))


def test_functions_of_datasets_convert():
    def signed(x):
        if equal(x % 2, 0):
            return x
        return -x

    dataset = tf.data.Dataset.range(6).map(signed).filter(lambda x: x > 0 or equal(x, -5))
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert [session.run(element) for _ in range(3)] == [2, 4, -5]


def test_marked_functions_are_left_alone():
    @tf.autograph.experimental.do_not_convert
    def plain(x):
        return 1 if isinstance(x, tf.Tensor) or x > 0 else 2

    def caller(x):
        return plain(x) + 1

    assert to_graph(caller)(tf.constant(1)) == 2
    assert to_graph(plain) is plain


def test_decorated_functions_convert():
    def logged(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    @logged
    def magnitude(x):
        return x if x > 0 else -x

    assert run(to_graph(magnitude)(tf.constant(-2))) == 2
    assert run(to_graph(functools.partial(magnitude, tf.constant(-2)))()) == 2


def test_convert_decorator():
    @tf.contrib.autograph.convert(recursive=True)
    def magnitude(x):
        return both_return(x)

    assert run(magnitude(tf.constant(2))) == -2


def test_to_code_is_python():
    code = tf.autograph.to_code(both_return)
    assert code.startswith("def tf__both_return(x):\n  ag__")
    assert "ag__.if_stmt(" in code
    compile(code, "code", "exec")


def test_layers_of_programs_convert():
    class Shrink(tf.keras.layers.Layer):
        def call(self, inputs):
            while tf.reduce_max(inputs) > 1:
                inputs = inputs / 2
            return inputs

    assert run(Shrink()(tf.constant([4.0, 6.0]))).tolist() == [0.5, 0.75]


def product_of_leaves(x, factors):
    if isinstance(factors, list):
        for factor in factors:
            x = product_of_leaves(x, factor)
        return x
    return x * factors


def test_functions_of_a_module_may_call_themselves(session):
    class Product(tf.keras.layers.Layer):
        def call(self, x):
            return product_of_leaves(x, [2, [3, 4]])

    assert session.run(Product()(tf.constant([1.0]))).tolist() == [24.0]


def test_super_without_arguments_works_in_branches_and_loops():
    class Twice(tf.keras.layers.Dense):
        def call(self, inputs):
            if tf.reduce_sum(inputs) > 0:
                outputs = super().call(inputs)
            else:
                outputs = super(Twice, self).call(inputs) * 2.0  # noqa: UP008
            for _ in range(2):
                outputs = outputs + super().call(inputs)
            return outputs

    layer = Twice(1, kernel_initializer="ones")
    assert run(layer(tf.constant([[1.0, 2.0]]))).tolist() == [[9.0]]
    assert run(layer(tf.constant([[-1.0, -2.0]]))).tolist() == [[-12.0]]
