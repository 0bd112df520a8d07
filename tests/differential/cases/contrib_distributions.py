# case: values of bijectors
B = tf.contrib.distributions.bijectors
x, y = np.array([-3.0, -0.2, 0.0, 2.5], np.float32), np.array([0.1, 0.5, 0.9, 0.3], np.float32)
made = [B.Exp(), B.Sigmoid(), B.Softplus(), B.Softplus(hinge_softness=0.5), B.AffineScalar(1.0, 2.0)]
with tf.Session() as session:
    for b in made + [B.AffineScalar(), B.Invert(B.Exp()), B.Invert(B.AffineScalar(shift=1.0))]:
        given = abs(x) + 1.0 if b.name.startswith("invert_exp") else x
        show(session.run([b.forward(given), b.forward_log_det_jacobian(given, event_ndims=1)]))
        show(session.run([b.inverse(y), b.inverse_log_det_jacobian(y, event_ndims=0)]))
        print(b.name, b.is_constant_jacobian)
# case: values of normal vectors
D = tf.contrib.distributions
d = D.MultivariateNormalDiag([[1.0, 2.0], [0.0, 1.0]], [0.5, 2.0])
other = D.MultivariateNormalDiag(scale_diag=[1.0, 1.5])
third = D.MultivariateNormalDiag(loc=[1.0, -1.0], scale_identity_multiplier=2.0)
print(d.batch_shape, d.event_shape, other.batch_shape, d.sample(3).shape)
with tf.Session() as session:
    show(session.run([d.log_prob([0.3, 0.4]), d.prob([0.3, 0.4]), d.entropy(), d.mean()]))
    show(session.run([d.mode(), third.variance(), third.stddev(), third.covariance()]))
    show(session.run([other.log_prob([0.3, 0.4]), third.log_prob([0.3, 0.4]), third.stddev()]))
    show(session.run([D.kl_divergence(d, other), D.kl_divergence(other, third)]))
