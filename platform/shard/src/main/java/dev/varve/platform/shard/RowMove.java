package dev.varve.platform.shard;

/** Something that becomes of K and V rows before anything else reads or writes them. */
public sealed interface RowMove permits SlotCopy, PageMove, PageDrop {}
