# case: sums of linear operators
from tensorflow.python.ops.linalg import linear_operator_addition as addition
L = tf.linalg
eye, scaled = L.LinearOperatorIdentity(2), L.LinearOperatorScaledIdentity(2, 3.0, is_positive_definite=True, is_self_adjoint=True)
diag, tril = L.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True, name="dd"), L.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 3.0]])
full = L.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
batch = L.LinearOperatorDiag(np.arange(6, dtype="f").reshape(3, 2), is_non_singular=True, name="batch")
sess = tf.Session()
def attempt(call):
    try:
        for operator in call():
            show(type(operator).__name__, operator.name, operator.is_positive_definite, operator.is_self_adjoint, operator.is_non_singular, sess.run(operator.to_dense()))
    except Exception as error:
        print(type(error).__name__, str(error).split(" object at")[0].replace("tensorflow.python.ops.linalg.", ""))
for operators in ([eye], [eye, scaled], [eye, scaled, diag], [diag, tril], [tril, full, eye], [eye, eye], [full, diag, scaled], [batch, diag], [batch, full, eye], [full, full, tril]):
    attempt(lambda: addition.add_operators(operators))
cheap = [[addition._AddAndReturnDiag()], [addition._AddAndReturnMatrix()]]
attempt(lambda: addition.add_operators([full, eye, diag, tril], addition_tiers=cheap))
attempt(lambda: addition.add_operators([full, eye, diag, tril], operator_name="my", addition_tiers=cheap[:1]))
attempt(lambda: [addition._AddAndReturnTriL().add(tril, diag, "t", addition._Hints(is_non_singular=False))])
attempt(lambda: addition.add_operators([]))
attempt(lambda: addition.add_operators([eye, L.LinearOperatorIdentity(3)]))
attempt(lambda: addition.add_operators([batch, L.LinearOperatorDiag(np.ones([2, 2], "f"))]))
attempt(lambda: addition.add_operators([full, L.LinearOperatorFullMatrix(np.ones([2, 3], "f"))]))
attempt(lambda: addition.add_operators(3))
show(addition._AddAndReturnMatrix().can_add(eye, 3), addition._AddAndReturnScaledIdentity().can_add(eye, diag), addition._AddAndReturnDiag().name)
show([n.name for n in tf.get_default_graph().as_graph_def().node if "add_operators" in n.name and "Add" in n.op])
