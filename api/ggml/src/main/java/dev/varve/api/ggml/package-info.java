/**
 * Binding of ggml through the Foreign Function &amp; Memory API. The only package that links native
 * code; {@code MemorySegment} stays inside. Every wrapper validates in Java what ggml would assert,
 * since a failed assertion ends the process.
 *
 * <ul>
 *   <li>{@link GgmlLibrary}, {@link GgmlDevice}, {@link Backend}, {@link ThreadPool}: the loaded
 *       libraries, devices and their threads
 *   <li>{@link GgmlContext}, {@link Tensor}, {@link Ops}, {@link Graph}, {@link GraphAllocator}:
 *       tensors, and graphs of operators; {@link Extents}, {@link Strides}, {@link RopeOptions},
 *       {@link AttentionOptions} and {@link DeltaInputs} are parameters
 *   <li>{@link DeviceBuffer}, {@link BufferType}, {@link HostMemory}, {@link MappedFile}: memory
 *   <li>{@link GgmlType}, {@link Quantizer}, {@link RowReader}: element types and conversions
 *   <li>{@code CoreApi}, {@code BackendApi}, {@code OpsApi}, {@code Pointer}, {@code Native}:
 *       functions and pointers of C, all package-private
 * </ul>
 *
 * <p>They are one package because every wrapper holds C pointers and calls C functions. Both must
 * stay package-private: a wrong pointer ends the process, so no other package may pass one.
 *
 * <p>May change with every release.
 */
package dev.varve.api.ggml;
