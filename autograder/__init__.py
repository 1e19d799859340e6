"""Build, release and grade the notebooks of Transformer by Hand."""
