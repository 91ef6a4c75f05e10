# REAL-JOB
#   about: a replay buffer of fixed size is filled during the first part of the run and then overwritten; its pages become resident when they are first used
#   label: warmup
#   process: main
#   packages: gymnasium numpy
#   kind: python
#   holder: none
#   library: numpy
#   never: graph, queue, callback, cache, hook, loss, log
# END
import gymnasium
import numpy

from job import steps

CAPACITY = 36_000
HISTORY = 128


class ReplayBuffer:
    def __init__(self):
        self.observations = numpy.zeros((CAPACITY, HISTORY, 4), dtype=numpy.float32)  # <LINE>
        self.next_observations = numpy.zeros((CAPACITY, HISTORY, 4), dtype=numpy.float32)
        self.actions = numpy.zeros(CAPACITY, dtype=numpy.int64)
        self.rewards = numpy.zeros(CAPACITY, dtype=numpy.float32)
        self.count = 0

    def add(self, observation, action, reward, next_observation):
        place = self.count % CAPACITY
        self.observations[place] = observation
        self.next_observations[place] = next_observation
        self.actions[place] = action
        self.rewards[place] = reward
        self.count += 1

    def sample(self, size):
        places = numpy.random.randint(0, min(self.count, CAPACITY), size)
        return self.observations[places], self.actions[places], self.rewards[places]


env = gymnasium.make("CartPole-v1")
buffer = ReplayBuffer()
first, _ = env.reset(seed=1)
window = numpy.tile(first, (HISTORY, 1))

for step in steps():
    for _ in range(100):
        action = env.action_space.sample()
        observation, reward, terminated, truncated, _ = env.step(action)
        next_window = numpy.concatenate([window[1:], observation[None]])
        buffer.add(window, action, reward, next_window)
        window = next_window
        if terminated or truncated:
            first, _ = env.reset()
            window = numpy.tile(first, (HISTORY, 1))
    buffer.sample(64)
