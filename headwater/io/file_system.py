"""What a file system can do; local and remote ones are further files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import BinaryIO

from headwater.base import errors


@dataclass(frozen=True)
class FileStatistics:
    """What a file system knows of a file or folder.

    Attributes:
        length: its size in bytes.
        mtime_nsec: when it was last written, in nanoseconds since 1970; 0 if that is not known.
        is_directory: whether it is a folder.
    """

    length: int
    mtime_nsec: int
    is_directory: bool


class FileSystem(ABC):
    """Files and folders of one kind of storage; failures are the OpErrors that fit."""

    @abstractmethod
    def open(self, name: str, mode: str) -> BinaryIO:
        """Opens a file in mode "rb", "wb" or "ab"."""

    @abstractmethod
    def statistics(self, name: str) -> FileStatistics:
        """What is known of a file or folder; NotFoundError if there is none."""

    @abstractmethod
    def make_folder(self, name: str) -> None:
        """Makes a folder in one that is there, unless something of that name is there."""

    @abstractmethod
    def make_folders(self, name: str) -> None:
        """Makes a folder and those above it, unless something of that name is there."""

    @abstractmethod
    def names_in(self, name: str) -> list[str]:
        """The names of what is in a folder, in any order."""

    @abstractmethod
    def remove_file(self, name: str) -> None:
        """Removes a file."""

    @abstractmethod
    def remove_folder(self, name: str) -> None:
        """Removes an empty folder."""

    @abstractmethod
    def remove_tree(self, name: str) -> None:
        """Removes a folder and all that is in it."""

    @abstractmethod
    def rename(self, name: str, target: str) -> None:
        """Renames a file or folder; an existing file of that name is replaced."""

    def link(self, name: str, target: str) -> None:
        """Gives a file a second name; AlreadyExistsError if something has it."""
        text = f"{name} cannot be linked to {target}"
        raise errors.UnimplementedError(None, None, text)
