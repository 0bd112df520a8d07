"""Variables, their updates, optimizers' steps, tables, stacks and arrays of tensors."""

import numpy as np

import cases as grid
from cases import (
    Call, Case, Ref, Var, f32, family, i32, i64, numbers, strings, types_of,
)  # fmt: skip

SOME = ("float32", "float64", "float16", "int32", "int64", "bool", "complex64", "string")


@family("state", "Assign AssignAdd AssignSub")
def assign(op):
    for dtype in types_of(op):
        if dtype not in SOME:
            continue
        x, y = numbers(op, 2, 3, dtype=dtype), numbers(op, 2, 3, dtype=dtype, seed=1)
        yield Case(op, Ref(x), y)
        yield Case(op, Ref(x[0, 0]), y[0, 0], kind="scalar")
        yield Case(op, Ref(x[:0]), y[:0], kind="empty")
        yield Case(op, Ref(x), y[:1], kind="mismatch")
        if op == "Assign":
            yield Case(op, Ref(x), y[:1], validate_shape=False, kind="attr")
            yield Case(op, Ref(None, dtype, [2, 3]), y, kind="not initialized")
        else:
            yield Case(op, Ref(None, dtype, [2, 3]), y, kind="not initialized")


@family("state", "AssignVariableOp AssignAddVariableOp AssignSubVariableOp")
def assign_resource(op):
    for dtype in SOME:
        if dtype in ("bool", "string") and op != "AssignVariableOp":
            continue
        x, y = numbers(op, 2, 3, dtype=dtype), numbers(op, 2, 3, dtype=dtype, seed=1)
        yield Case(op, Var(x), y)
        yield Case(op, Var(x[0, 0]), y[0, 0], kind="scalar")
        yield Case(op, Var(x), y[:1], kind="mismatch")
        if op != "AssignVariableOp":
            yield Case(op, Var(None, dtype, [2, 3]), y, kind="not initialized")


@family("state", "ReadVariableOp VariableShape VarIsInitializedOp DestroyResourceOp")
def read(op):
    for dtype in SOME:
        x = numbers(op, 2, 3, dtype=dtype)
        more = {"dtype": dtype} if op == "ReadVariableOp" else {}
        if op == "DestroyResourceOp":
            handle = Call(
                "VarHandleOp", dtype=dtype, shape=[2, 3], shared_name="gone", container=""
            )
            yield Case(op, handle, ignore_lookup_error=True)
            yield Case(op, handle, ignore_lookup_error=False, kind="not initialized")
            continue
        yield Case(op, Var(x), attrs=dict(more))
        yield Case(op, Var(None, dtype, [2, 3]), attrs=dict(more), kind="not initialized")
        if op == "VariableShape":
            yield Case(op, Var(x), out_type="int64", kind="attr")


@family("state", "IsVariableInitialized")
def is_initialized(op):
    for dtype in SOME:
        yield Case(op, Ref(numbers(op, 2, dtype=dtype)))
        yield Case(op, Ref(None, dtype, [2]), kind="not initialized")


@family("state", "Variable VariableV2 VarHandleOp")
def variable(op):
    for dtype in SOME:
        for shape in ([2, 3], [], [None, 2], None):
            if shape == [None, 2] and dtype != "float32":
                continue
            yield Case(op, dtype=dtype, shape=shape, container="", shared_name="", kind="declared")


@family("state", "TemporaryVariable DestroyTemporaryVariable")
def temporary(op):
    for dtype in ("float32", "int32"):
        made = Call("TemporaryVariable", shape=[2], dtype=dtype, var_name="work_" + op + dtype)
        if op == "TemporaryVariable":
            other = Call("Assign", made, numbers(op, 2, dtype=dtype))
            yield Case("DestroyTemporaryVariable", other, var_name="work_" + op + dtype)
        else:
            filled = Call("Assign", made, numbers(op, 2, dtype=dtype))
            yield Case(op, filled, var_name="work_" + op + dtype)


@family("state", "CountUpTo")
def count_up(op):
    for dtype in ("int32", "int64"):
        yield Case(op, Ref(np.array(3, dtype)), limit=9)
        yield Case(op, Ref(np.array(9, dtype)), limit=9, kind="at the limit")
        yield Case(op, Ref(np.array([1], dtype)), limit=9, kind="bad rank")


@family("state", "ResourceCountUpTo")
def resource_count_up(op):
    for dtype in ("int32", "int64"):
        yield Case(op, Var(np.array(3, dtype)), limit=9, T=dtype)
        yield Case(op, Var(np.array(9, dtype)), limit=9, T=dtype, kind="at the limit")


SCATTERS = "Add Div Max Min Mul Sub Update".split()


@family(
    "state", " ".join(["Scatter" + s for s in SCATTERS] + ["ResourceScatter" + s for s in SCATTERS])
)
def scatter(op):
    kind_of = Var if op.startswith("Resource") else Ref
    types = types_of(op, "dtype" if kind_of is Var else "T")
    for dtype in types:
        if dtype not in SOME or dtype in ("bool", "string") and not op.endswith("Update"):
            continue
        if kind_of is Var and dtype in ("string", "bool"):
            continue
        if dtype in grid.COMPLEX and op[-3:] in ("Max", "Min"):
            continue
        x = numbers(op, 4, 2, dtype=dtype)
        low = 1 if op.endswith("Div") else -4
        y = numbers(op, 3, 2, dtype=dtype, seed=1, low=low)
        for index in (i32, i64):
            yield Case(op, kind_of(x), index([3, 0, 2]), y)
        if not op.endswith("Update"):
            yield Case(op, kind_of(x), i32([3, 0, 3]), y, kind="repeated")
        else:
            yield Case(op, kind_of(x), i32([3, 0, 3]), y, kind="repeated")
        yield Case(op, kind_of(x), i32(1), y[0], kind="scalar index")
        yield Case(op, kind_of(x), i32([3, 1]), y[0, 0], kind="scalar update")
        yield Case(op, kind_of(x), i32([]), y[:0], kind="empty")
        yield Case(op, kind_of(x), i32([0, 4, 1]), y, kind="out of range")
        yield Case(op, kind_of(x), i32([0, -1, 1]), y, kind="out of range")
        yield Case(op, kind_of(x), i32([0, 1]), y, kind="mismatch")


@family("state", "ResourceGather ResourceGatherNd")
def gather(op):
    for dtype in ("float32", "int32", "float64", "complex64"):
        x = numbers(op, 4, 2, dtype=dtype)
        deep = op.endswith("Nd")
        for index in (i32, i64):
            yield Case(op, Var(x), index([[3], [0]] if deep else [3, 0]), dtype=dtype)
        yield Case(op, Var(x), i32([[4]] if deep else [4]), dtype=dtype, kind="out of range")
        yield Case(op, Var(x), i32([[-1]] if deep else [-1]), dtype=dtype, kind="out of range")


ND = """
ScatterNdAdd ScatterNdSub ScatterNdUpdate ResourceScatterNdAdd ResourceScatterNdSub
ResourceScatterNdUpdate TensorScatterAdd TensorScatterSub TensorScatterUpdate
ScatterNdNonAliasingAdd
"""


@family("state", ND)
def scatter_nd_update(op):
    def wrap(x):
        if op.startswith("Resource"):
            return Var(x)
        return Ref(x) if op.startswith("ScatterNd") and "Non" not in op else x

    for dtype in types_of(op, "T"):
        if dtype not in SOME or dtype in ("bool", "string"):
            continue
        x = numbers(op, 4, 3, dtype=dtype)
        y = numbers(op, 2, 3, dtype=dtype, seed=1)
        for index in (i32, i64):
            yield Case(op, wrap(x), index([[3], [0]]), y)
        yield Case(op, wrap(x), i32([[3, 1], [0, 2]]), y[:, 0].copy())
        yield Case(op, wrap(x), i32([[1], [1]]), y, kind="repeated")
        yield Case(op, wrap(x), i32(np.zeros((0, 1))), y[:0], kind="empty")
        yield Case(op, wrap(x), i32([[4], [0]]), y, kind="out of range")
        yield Case(op, wrap(x), i32([[-1], [0]]), y, kind="out of range")
        yield Case(op, wrap(x), i32([[3], [0]]), y[:1], kind="mismatch")


@family("state", "ScatterNd")
def scatter_nd(op):
    for dtype in types_of(op, "T"):
        if dtype not in SOME:
            continue
        y = numbers(op, 2, 3, dtype=dtype)
        for index in (i32, i64):
            yield Case(op, index([[3], [0]]), y, index([4, 3]))
        yield Case(op, i32([[1], [1]]), y, i32([4, 3]), kind="repeated")
        yield Case(op, i32([[3, 1], [0, 2]]), y[:, 0].copy(), i32([4, 3]))
        yield Case(op, i32([[4], [0]]), y, i32([4, 3]), kind="out of range")
        yield Case(op, i32([[3], [0]]), y, i32([4, 2]), kind="mismatch")
        yield Case(op, i32(np.zeros((0, 1))), y[:0], i32([4, 3]), kind="empty")


# Optimizers: the inputs follow from their names.

SCALARS = {
    "lr": 0.125, "alpha": 0.125, "rho": 0.875, "decay": 0.875, "momentum": 0.75, "epsilon": 0.0625,
    "beta1_power": 0.75, "beta2_power": 0.9375, "beta1": 0.875, "beta2": 0.96875, "l1": 0.0625,
    "l2": 0.125, "l2_shrinkage": 0.25, "lr_power": -0.5, "sign_decay": 0.5, "logbase": 1.0,
    "beta": 0.5, "global_step": 3, "delta": 0.25,
}  # fmt: skip
OPTIMIZERS = """
AdaMax Adadelta Adagrad AdagradV2 AdagradDA Adam AdamWithAmsgrad Ftrl FtrlV2 GradientDescent
Momentum KerasMomentum ProximalAdagrad ProximalGradientDescent CenteredRMSProp RMSProp AddSign
PowerSign
""".split()
STEPS = [
    prefix + name
    for name in OPTIMIZERS
    for prefix in ("Apply", "ResourceApply", "SparseApply", "ResourceSparseApply")
]


@family("state", " ".join(name for name in STEPS if name in grid.opdefs()))
def optimizer_step(op):
    definition = grid.opdefs()[op]
    names = [a["name"] for a in definition["inputs"]]
    flags = [a["name"] for a in definition["attrs"] if a["type"] == "bool"]
    for dtype in ("float32", "float64", "float16"):
        for index in (np.int32, np.int64) if "indices" in names else (np.int32,):
            for attrs in [{}] + [{f: True} for f in flags if f != "use_locking"]:
                yield step(op, definition, dtype, index, attrs)
    yield step(op, definition, "float32", np.int32, {}, "mismatch")
    if "Resource" not in op or op == "ResourceApplyAdam":  # they look variables up in one way
        yield step(op, definition, "float32", np.int32, {}, "not initialized")
    if "indices" in names:
        yield step(op, definition, "float32", np.int32, {}, "out of range")
        yield step(op, definition, "float32", np.int32, {}, "repeated")


def step(op, definition, dtype, index, attrs, kind="ordinary"):
    sparse = any(a["name"] == "indices" for a in definition["inputs"])
    inputs = []
    for i, arg in enumerate(definition["inputs"]):
        name = arg["name"]
        if arg.get("is_ref") or arg.get("type") == "DT_RESOURCE":
            low = -4 if name == "var" else 1
            value = numbers(op, 4, 2, dtype=dtype, seed=i, low=low)
            make = Ref if arg.get("is_ref") else Var
            if kind == "not initialized" and i == 0:
                inputs.append(make(None, dtype, [4, 2]))
            else:
                inputs.append(make(value))
        elif name == "grad":
            rows = (2 if sparse else 4) - (1 if kind == "mismatch" else 0)
            inputs.append(numbers(op, rows, 2, dtype=dtype, seed=50))
        elif name == "indices":
            places = {"out of range": [3, 4], "repeated": [1, 1]}.get(kind, [3, 1])
            inputs.append(np.array(places, index))
        elif name == "global_step":
            inputs.append(i64(3))
        else:
            inputs.append(np.array(SCALARS[name], dtype))
    if kind == "mismatch" and sparse:
        kind = "mismatched"
    return Case(op, *inputs, kind=kind, attrs=dict(attrs))


# Tables


def static(kind, keys="string", values="int64"):
    return Call(
        kind, container="", shared_name="table", use_node_name_sharing=False,
        key_dtype=keys, value_dtype=values,
    )  # fmt: skip


PAIRS = [("string", "int64"), ("int64", "string"), ("string", "float32"), ("int64", "float32")]


def pair(keys, values):
    k = strings(b"a", b"b", b"c") if keys == "string" else i64([5, 6, 7])
    v = numbers("table", 3, dtype=values)
    wanted = strings(b"b", b"z") if keys == "string" else i64([6, 1])
    return k, v, wanted, numbers("table", dtype=values, seed=1)


@family("state", "HashTable HashTableV2 MutableHashTable MutableHashTableV2")
def table(op):
    find = "LookupTableFindV2" if op.endswith("V2") else "LookupTableFind"
    mutable = op.startswith("Mutable")
    fill = "LookupTableInsert" if mutable else "InitializeTable"
    fill += "V2" if op.endswith("V2") else ""
    for keys, values in PAIRS:
        k, v, wanted, default = pair(keys, values)
        made = static(op, keys, values)
        setup = [Call(fill, made, k, v)]
        yield Case(find, made, wanted, default, setup=setup, kind="find in " + op)
        yield Case(find, made, wanted, default, kind="not filled: " + op)


@family(
    "state",
    "LookupTableFind LookupTableFindV2 LookupTableSize LookupTableSizeV2 "
    "LookupTableExport LookupTableExportV2 InitializeTable InitializeTableV2 "
    "LookupTableInsert LookupTableInsertV2 LookupTableImport LookupTableImportV2 "
    "LookupTableRemoveV2",
)
def table_access(op):
    v2 = "V2" if op.endswith("V2") else ""
    for keys, values in PAIRS:
        k, v, wanted, default = pair(keys, values)
        fixed = static("HashTable" + v2, keys, values)
        mutable = static("MutableHashTable" + v2, keys, values)
        for made, fill in ((fixed, "InitializeTable"), (mutable, "LookupTableInsert")):
            setup = [Call(fill + v2, made, k, v)]
            size = Call("LookupTableSize" + v2, made)
            if "Find" in op:
                yield Case(op, made, wanted, default, setup=setup)
                yield Case(op, made, wanted[0:0], default, setup=setup, kind="empty")
                other = i64(1) if keys == "string" else strings(b"x")
                yield Case(op, made, other, default, setup=setup, kind="mismatch")
            elif "Size" in op:
                yield Case(op, made, setup=setup)
            elif "Export" in op:
                attrs = {"Tkeys": keys, "Tvalues": values}
                yield Case(op, made, setup=setup, attrs=attrs, unordered=True)
            elif made is fixed and "Initialize" in op:
                yield Case(op, made, k, v, after=[size])
                yield Case(op, made, k, v, setup=setup, after=[size], kind="again")
                yield Case(op, made, k, v[::-1].copy(), setup=setup, kind="other values")
                yield Case(op, made, k[[0, 0, 1]], v, kind="repeated keys")
                yield Case(op, made, k[:2], v, kind="mismatch")
            elif made is mutable and ("Insert" in op or "Import" in op):
                yield Case(op, made, k, v, after=[size])
                yield Case(op, made, wanted, v[:2], setup=setup, after=[size], kind="again")
                yield Case(op, made, k[:2], v, kind="mismatch")
            elif made is mutable and "Remove" in op:
                yield Case(op, made, wanted, setup=setup, after=[size])
            elif "Insert" in op or "Import" in op:
                yield Case(op, made, k, v, kind="fixed table")


@family("state", "MutableHashTableOfTensors MutableHashTableOfTensorsV2")
def table_of_tensors(op):
    v2 = "V2" if op.endswith("V2") else ""
    for keys in ("string", "int64"):
        k, _, wanted, _ = pair(keys, "float32")
        made = Call(
            op, container="", shared_name="table", use_node_name_sharing=False,
            key_dtype=keys, value_dtype="float32", value_shape=[2],
        )  # fmt: skip
        setup = [Call("LookupTableInsert" + v2, made, k, numbers(op, 3, 2))]
        yield Case(
            "LookupTableFind" + v2, made, wanted, f32([7, 8]), setup=setup, kind="find in " + op
        )
        yield Case(
            "LookupTableFind" + v2, made, wanted, f32(7), setup=setup, kind="mismatch in " + op
        )


@family("state", "MutableDenseHashTable MutableDenseHashTableV2")
def dense_table(op):
    v2 = "V2" if op.endswith("V2") else ""
    for values in ("int64", "float32"):
        k, v, wanted, default = pair("int64", values)
        more = [i64(-1)] if v2 else [i64(-1)]
        attrs = {
            "container": "",
            "shared_name": "",
            "use_node_name_sharing": False,
            "value_dtype": values,
            "value_shape": [],
            "initial_num_buckets": 8,
        }
        definition = grid.opdefs()[op]
        if len(definition["inputs"]) == 2:
            more.append(i64(-2))
        attrs["shared_name"] = "table"
        made = Call(op, *more, **attrs)
        setup = [Call("LookupTableInsert" + v2, made, k, v)]
        yield Case("LookupTableFind" + v2, made, wanted, default, setup=setup, kind="find in " + op)
        yield Case("LookupTableSize" + v2, made, setup=setup, kind="size of " + op)
        bad = Call("LookupTableInsert" + v2, made, i64([-1]), v[:1])
        yield Case("LookupTableSize" + v2, made, setup=[bad], kind="empty key in " + op)


# Arrays and stacks of tensors


ARRAY_OPS = "{0} {0}Read {0}Write {0}Size {0}Gather {0}Scatter {0}Concat {0}Split {0}Close {0}Grad"
ARRAY_OPS = ARRAY_OPS.format("TensorArray").split()


@family(
    "state",
    " ".join(name + v for name in ARRAY_OPS for v in ("", "V2", "V3"))
    + " TensorArrayGradWithShape TensorArrayPack TensorArrayUnpack",
)
def tensor_array(op):
    version = op[-2:] if op[-2:] in ("V2", "V3") else ""
    name = op[:-2] if version else op
    if op == "TensorArrayGradWithShape":
        version = "V3"
    for dtype in ("float32", "int32", "string"):
        x = numbers(op, 3, 2, dtype=dtype)

        def made(dynamic=False):
            attrs = {"dtype": dtype, "element_shape": None, "dynamic_size": dynamic}
            attrs.update(clear_after_read=True, tensor_array_name="")
            call = Call("TensorArray" + version, i32(3), **attrs)
            # Before the third version the flow begins with any number.
            return call[0], call[1] if version == "V3" else f32(0)

        array, flow = made()
        if version:
            fill = Call("TensorArrayScatter" + version, array, i32([0, 1, 2]), x, flow)
        else:
            fill = Call("TensorArrayUnpack", array, x, flow)
        filled = fill[0]
        like = {"dtype": dtype}
        if name in ("TensorArray", "TensorArraySize"):
            yield Case("TensorArraySize" + version, array, flow, kind="of " + op)
            yield Case("TensorArraySize" + version, array, filled, kind="of " + op)
        elif name == "TensorArrayRead":
            for i in (0, 2):
                yield Case(op, array, i32(i), filled, attrs=dict(like))
            yield Case(op, array, i32(3), filled, attrs=dict(like), kind="out of range")
            yield Case(op, array, i32(-1), filled, attrs=dict(like), kind="out of range")
            yield Case(op, array, i32(0), flow, attrs=dict(like), kind="not written")
        elif name == "TensorArrayWrite":
            yield Case(op, array, i32(1), x[0], flow, hidden=(0,))
            yield Case(op, array, i32(3), x[0], flow, hidden=(0,), kind="out of range")
            grown, start = made(True)
            end = Call("TensorArraySize" + version, grown, start)
            yield Case(op, grown, i32(5), x[0], start, hidden=(0,), after=[end], kind="attr")
            yield Case(op, array, i32(1), x[0], filled, hidden=(0,), kind="written twice")
        elif name in ("TensorArrayGather", "TensorArrayPack"):
            if name == "TensorArrayPack":
                yield Case(op, array, filled, attrs=dict(like))
                yield Case(op, array, flow, attrs=dict(like), kind="not written")
                continue
            yield Case(op, array, i32([2, 0]), filled, attrs=dict(like))
            yield Case(op, array, i32([3]), filled, attrs=dict(like), kind="out of range")
            yield Case(op, array, i32([0]), flow, attrs=dict(like), kind="not written")
            yield Case(op, array, i32([0]), filled, attrs=dict(like, element_shape=[2]))
        elif name in ("TensorArrayScatter", "TensorArrayUnpack"):
            index = [i32([2, 0, 1])] if name == "TensorArrayScatter" else []
            yield Case(op, array, *index, x, flow, hidden=(0,))
            yield Case(op, array, *index, x[:2], flow, hidden=(0,), kind="mismatch")
        elif name == "TensorArrayConcat":
            yield Case(op, array, filled, attrs=dict(like))
        elif name == "TensorArraySplit":
            flat = numbers(op, 6, 2, dtype=dtype)
            yield Case(op, array, flat, i64([1, 3, 2]), flow, hidden=(0,))
            yield Case(op, array, flat, i64([1, 3]), flow, hidden=(0,), kind="mismatch")
        elif name == "TensorArrayClose":
            yield Case(op, array)
        elif dtype != "string":
            more = [i32([2])] if op == "TensorArrayGradWithShape" else []
            gradient = Call(op, array, filled, *more, source="gradients")
            length = gradient[1] if version == "V3" else f32(0)
            yield Case("TensorArraySize" + version, gradient[0], length, kind="of " + op)


@family("state", "Stack StackPush StackPop StackClose StackV2 StackPushV2 StackPopV2 StackCloseV2")
def stack(op):
    v2 = "V2" if op.endswith("V2") else ""
    for dtype in ("float32", "int32", "string"):
        x = numbers(op, 2, 3, dtype=dtype)
        more = [i32(9)] if v2 else []
        made = Call("Stack" + v2, *more, elem_type=dtype, stack_name="stack")
        pushed = Call("StackPush" + v2, made, x, swap_memory=False)
        if "Push" in op:
            yield Case(op, made, x, swap_memory=False)
        elif "Close" in op:
            yield Case(op, made, before=[pushed])
        else:
            yield Case("StackPop" + v2, made, before=[pushed], elem_type=dtype, kind="of " + op)
            yield Case("StackPop" + v2, made, elem_type=dtype, kind="empty: " + op)


@family("state", "GetSessionHandle GetSessionHandleV2 GetSessionTensor DeleteSessionTensor")
def session_tensor(op):
    x = numbers(op, 2)
    if op.startswith("GetSessionHandle"):
        yield Case(op, x, hidden=(0,))
    elif op == "GetSessionTensor":
        yield Case(op, strings(b"no such"), attrs={"dtype": "float32"}, kind="no such handle")
    else:
        yield Case(op, strings(b"no such"), kind="no such handle")
