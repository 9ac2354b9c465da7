"""Emulators of the targets: run generated code without the machine, and check it."""
