package dev.varve.platform.shard;

/** A move of K and V rows, applied before the batch reads or writes them. */
public sealed interface KvRowOperation permits KvSlotCopy, PageMove, HostPageFree {}
