/**
 * Prefix cache on disk and in shared stores: objects that form trees, cut into chunks of one size.
 * No chunk is returned before its checksum is verified. This package does not know models: the
 * meaning of an object belongs to its owner.
 *
 * <ul>
 *   <li>{@link ReadableArchive}, {@link WritableArchive}, {@link ObjectDescriptor}, {@link
 *       ObjectKey}, {@link Namespace}: the interface for the prefix cache;
 *   <li>{@link DiskArchive}, {@link OpenNamespace}, {@link ArchiveWriter}: objects on disk, in the
 *       stores of a plugin, one per {@link StoreSegment};
 *   <li>{@link ObjectIndex}, {@link Journal}, {@link IndexRebuild}: the index in memory, and the
 *       journal beside the stores;
 *   <li>{@link StoreFolder}, {@link FolderLock}, {@link DiskBudget}, {@link SegmentEviction}: the
 *       folder, its limits and its eviction; {@link ArchiveInspector} reads it without a model;
 *   <li>{@link SharedArchive}, {@link StoreCircuitBreaker}: objects in a store of several servers;
 *   <li>{@link ChunkCodec}, {@link ChunkCipher}, {@link ObjectWriter}, {@link StoredObjectReader}:
 *       from objects to chunks and back.
 * </ul>
 *
 * <p>They are one package because disk and shared stores use the same chunks, preambles and
 * readers, and because {@link OpenNamespace} and {@link ArchiveWriter} change index, journal and
 * segments together: public methods would allow a change of one without the others.
 */
package dev.varve.platform.store;
