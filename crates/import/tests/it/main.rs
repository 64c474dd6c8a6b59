//! What is found on a machine, read for real: real databases, real repositories, real files.
