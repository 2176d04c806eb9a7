"""Units of work on a Ray cluster; only `link` and what runs on the cluster import Ray.

`dispatcher` hands out units and takes results in this process, `link` is a process that talks to Ray, `executor` does the work there.
`parcels` is what travels, `inspection` what a node must be like, `workplace` what a node's process makes ready.
"""
