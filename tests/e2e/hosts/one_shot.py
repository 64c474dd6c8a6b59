"""Hosts that take one prompt a process: a session is a first run, and its later prompts are runs that continue it."""


class OneShot:
    """A host in a world, with a model of ours; what differs is in the classes made of it."""

    def __init__(self, world, model, program):
        self.world, self.model, self.program = world, model, program
        self.project, self.run = world.project, world.run

    def environment(self):
        """What the host may know of this machine."""
        return self.world.environment()

    def command(self, prompt, goes_on):
        """Returns the command line of a prompt, and what is written to its standard input."""
        raise NotImplementedError

    def play(self, turns):
        """Plays one session: each turn is a prompt and the model's answers to it."""
        for number, (prompt, answers) in enumerate(turns):
            self.model.answers = list(answers)
            command, said = self.command(prompt, number > 0)
            self.world.run(*command, environment=self.environment(), said=said)
