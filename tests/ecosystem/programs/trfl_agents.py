"""TRFL: Q-learning, returns, policy gradients, retrace and a distributional loss."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf
import trfl

rng = np.random.RandomState(0)
tf.set_random_seed(1)
q_before = tf.constant(rng.randn(4, 3).astype(np.float32))
q_after = tf.constant(rng.randn(4, 3).astype(np.float32))
actions = tf.constant([0, 2, 1, 1])
rewards = tf.constant(rng.rand(4).astype(np.float32))
discounts = tf.constant(np.full(4, 0.9, np.float32))
made = {
    "qlearning": trfl.qlearning(q_before, actions, rewards, discounts, q_after).loss,
    "double": trfl.double_qlearning(q_before, actions, rewards, discounts, q_after, q_before).loss,
    "persistent": trfl.persistent_qlearning(q_before, actions, rewards, discounts, q_after).loss,
    "sarsa": trfl.sarsa(q_before, actions, rewards, discounts, q_after, actions).loss,
}
steps = (5, 2)
values = tf.constant(rng.randn(*steps).astype(np.float32))
reward = tf.constant(rng.randn(*steps).astype(np.float32))
pcontinues = tf.constant(rng.rand(*steps).astype(np.float32))
bootstrap = tf.constant(rng.randn(2).astype(np.float32))
made["td_lambda"] = trfl.td_lambda(values, reward, pcontinues, bootstrap, lambda_=0.8).loss
made["returns"] = trfl.scan_discounted_sum(reward, pcontinues, bootstrap)
made["lambda"] = trfl.generalized_lambda_returns(reward, pcontinues, values, bootstrap, 0.9)
logits = tf.constant(rng.randn(5, 2, 3).astype(np.float32))
chosen = tf.constant(rng.randint(0, 3, steps).astype(np.int32))
a2c = trfl.sequence_advantage_actor_critic_loss(
    logits, values, chosen, reward, pcontinues, bootstrap, lambda_=0.9, entropy_cost=0.01
)
made["a2c"] = a2c.loss
made["entropy"] = a2c.extra.entropy
made["vtrace"] = trfl.vtrace_from_logits(
    logits, logits * 0.5, chosen, pcontinues, reward, values, bootstrap
).vs
atoms = tf.constant([-1.0, 0.0, 1.0])
made["categorical"] = trfl.categorical_dist_qlearning(
    atoms,
    tf.constant(rng.randn(4, 3, 3).astype(np.float32)),
    actions,
    rewards,
    discounts,
    atoms,
    tf.constant(rng.randn(4, 3, 3).astype(np.float32)),
).loss
made["pixel"] = trfl.pixel_control_rewards(tf.constant(rng.rand(3, 2, 8, 8, 1)), 4)
made["epsilon"] = trfl.epsilon_greedy(q_before, 0.1).probs

# A small agent: its own network, a target network that follows it.
features = tf.placeholder(tf.float32, [None, 4])
following = tf.placeholder(tf.float32, [None, 4])


def network(inputs, scope):
    init = tf.truncated_normal_initializer(stddev=0.3, seed=5)
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        hidden = tf.layers.dense(inputs, 16, tf.nn.relu, kernel_initializer=init)
        return tf.layers.dense(hidden, 3, kernel_initializer=init)


taken = tf.placeholder(tf.int32, [None])
gained = tf.placeholder(tf.float32, [None])
ahead = tf.placeholder(tf.float32, [None])
loss = tf.reduce_mean(
    trfl.qlearning(
        network(features, "online"), taken, gained, ahead, network(following, "target")
    ).loss
)
online = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "online")
target = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "target")
step = tf.train.AdamOptimizer(0.01).minimize(loss, var_list=online)
follow = trfl.update_target_variables(target, online, tau=0.5)
saver = tf.train.Saver()
feed = {
    features: rng.randn(32, 4),
    following: rng.randn(32, 4),
    taken: rng.randint(0, 3, 32),
    gained: rng.rand(32),
    ahead: np.full(32, 0.5),
}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    found = {name: np.asarray(v).tolist() for name, v in session.run(made).items()}
    losses = []
    for _ in range(60):
        losses.append(float(session.run([loss, step], feed)[0]))
        session.run(follow)
    assert losses[-1] < 0.5 * losses[0], losses
    found["losses"] = losses[:3]
    path = saver.save(session, os.path.join(tempfile.mkdtemp(), "agent"))
    before = session.run(loss, feed)
    session.run(tf.global_variables_initializer())
    saver.restore(session, path)
    np.testing.assert_allclose(session.run(loss, feed), before, rtol=1e-5)
print(json.dumps(found))
