class Optimizer:
    pass


def register_optimizer_step_post_hook(hook):
    pass
