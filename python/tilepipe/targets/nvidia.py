"""Not part of any build yet."""


class BACKEND:
    """A target that is left out."""

    @staticmethod
    def is_built() -> bool:
        return False
