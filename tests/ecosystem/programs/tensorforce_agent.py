"""tensorforce 0.4: a PPO agent learns which of two actions an observation asks for."""

import json
import os
import tempfile

import numpy as np
from tensorforce.agents import PPOAgent, VPGAgent

rng = np.random.RandomState(0)


def agent_of(kind, **options):
    return kind(
        states=dict(type="float", shape=(4,)),
        actions=dict(type="int", num_actions=2),
        network=[dict(type="dense", size=16)],
        **options,
    )


def play(agent, episodes):
    rewards = []
    for _ in range(episodes):
        total = 0.0
        for step in range(5):
            state = rng.randn(4)
            action = agent.act(state)
            reward = float(action == int(state[0] > 0))
            agent.observe(terminal=step == 4, reward=reward)
            total += reward
        rewards.append(total)
    return rewards


agent = agent_of(
    PPOAgent,
    discount=0.0,
    update_mode=dict(unit="episodes", batch_size=8, frequency=8),
    memory=dict(type="latest", include_next_states=False, capacity=200),
    step_optimizer=dict(type="adam", learning_rate=5e-3),
    optimization_steps=10,
)
rewards = play(agent, 240)
early, late = np.mean(rewards[:16]), np.mean(rewards[-40:])
assert late > early and late > 3.5, (early, late)
path = agent.save_model(directory=os.path.join(tempfile.mkdtemp(), "model"))
state = rng.randn(4)
before = agent.act(state, deterministic=True)
agent.restore_model(directory=os.path.dirname(path), file=os.path.basename(path))
agent.reset()
assert agent.act(state, deterministic=True) == before
agent.close()
vpg = agent_of(
    VPGAgent,
    update_mode=dict(unit="episodes", batch_size=4, frequency=4),
    memory=dict(type="latest", include_next_states=False, capacity=100),
)
assert len(play(vpg, 12)) == 12
vpg.close()
print(json.dumps({"learns": bool(late > early), "checkpoint": os.path.basename(path)}))
