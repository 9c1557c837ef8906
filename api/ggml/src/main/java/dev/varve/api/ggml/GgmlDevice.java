package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.returns;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.Pointer.BackendPtr;
import dev.varve.api.ggml.Pointer.BufferPtr;
import dev.varve.api.ggml.Pointer.BufferTypePtr;
import dev.varve.api.ggml.Pointer.DevicePtr;
import dev.varve.api.ggml.Pointer.RegistryPtr;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A device that a loaded backend found ({@code ggml_backend_dev}). Lives as long as the process.
 */
public final class GgmlDevice {
    /** Kind of a device. */
    public enum Kind {
        /** The processor. */
        CPU,

        /** A graphics card with its own memory. */
        GPU,

        /** Integrated graphics that share the memory of the processor. */
        IGPU,

        /** An accelerator of the processor, such as a matrix library. */
        ACCEL,

        /** Several devices presented as one. */
        META
    }

    private static final long PROPS_BYTES = 56;
    private static final long DESCRIPTION = 8;
    private static final long MEMORY_FREE = 16;
    private static final long MEMORY_TOTAL = 24;
    private static final long TYPE = 32;
    private static final long CAN_MAP_HOST_MEMORY = 50;

    private final DevicePtr pointer;
    private final String name;
    private final String description;
    private final Kind kind;
    private final boolean mapsHostMemory;

    private GgmlDevice(DevicePtr pointer) {
        this.pointer = pointer;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment props = properties(arena);
            name = Native.string(props.get(ADDRESS, 0));
            description = Native.string(props.get(ADDRESS, DESCRIPTION));
            int type = props.get(JAVA_INT, TYPE);
            if (type < 0 || type >= Kind.values().length) {
                throw GgmlLibrary.unavailable(name + ": device of unknown type " + type, null);
            }
            kind = Kind.values()[type];
            mapsHostMemory = props.get(JAVA_BOOLEAN, CAN_MAP_HOST_MEMORY);
        }
    }

    /** All devices of all loaded backends. */
    public static List<GgmlDevice> all() {
        List<GgmlDevice> devices = new ArrayList<>();
        for (long i = 0; i < BackendApi.devCount(); i++) {
            devices.add(new GgmlDevice(BackendApi.devGet(i)));
        }
        return devices;
    }

    /** ggml's name, such as {@code CPU} or {@code CUDA0}. */
    public String name() {
        return name;
    }

    /** ggml's name of the backend that the device belongs to, such as {@code Vulkan}. */
    public String backendName() {
        return BackendApi.regName(BackendApi.devBackendReg(pointer));
    }

    /** Name of the hardware. */
    public String description() {
        return description;
    }

    /** Kind of the device. */
    public Kind kind() {
        return kind;
    }

    /** Free memory in bytes, as the backend reports it. */
    public long memoryFree() {
        return property(MEMORY_FREE);
    }

    /** Memory in bytes. */
    public long memoryTotal() {
        return property(MEMORY_TOTAL);
    }

    /** Returns whether the device computes from memory of the host, such as a mapped file. */
    public boolean supportsHostBuffers() {
        return mapsHostMemory;
    }

    /** Memory of the device. */
    public BufferType bufferType() {
        return new BufferType(BackendApi.devBufferType(pointer));
    }

    /**
     * Host memory from which the device copies without an intermediate copy, such as pinned memory;
     * ordinary host memory if the device has none.
     */
    public BufferType hostBufferType() {
        BufferTypePtr own = BackendApi.devHostBufferType(pointer);
        return new BufferType(own.isNull() ? BackendApi.cpuBufferType() : own);
    }

    /** Further buffer types for weights, such as repacking ones, best first. */
    @SuppressWarnings("restricted")
    public List<BufferType> extraBufferTypes() {
        Optional<MethodHandle> list =
                function("ggml_backend_dev_get_extra_bufts", returns(C_POINTER, C_POINTER));
        List<BufferType> types = new ArrayList<>();
        if (list.isPresent()) {
            MethodHandle get = list.get();
            MemorySegment array = MemorySegment.ofAddress(NativeCall.call(get, pointer.raw()));
            if (!Native.isNull(array)) {
                MemorySegment entries = array.reinterpret(64 * ADDRESS.byteSize());
                for (long i = 0; !Native.isNull(entries.getAtIndex(ADDRESS, i)); i++) {
                    types.add(new BufferType(new BufferTypePtr(entries.getAtIndex(ADDRESS, i))));
                }
            }
        }
        return types;
    }

    /** Instruction sets and build options of the backend, such as {@code AVX512 -> 1}. */
    @SuppressWarnings("restricted")
    public Map<String, String> features() {
        Optional<MethodHandle> list =
                function("ggml_backend_get_features", returns(C_POINTER, C_POINTER));
        Map<String, String> features = new LinkedHashMap<>();
        if (list.isPresent()) {
            MethodHandle get = list.get();
            RegistryPtr registry = BackendApi.devBackendReg(pointer);
            MemorySegment array = MemorySegment.ofAddress(NativeCall.call(get, registry.raw()));
            MemorySegment entries = array.reinterpret(128 * 2 * ADDRESS.byteSize());
            for (long i = 0; !Native.isNull(entries.getAtIndex(ADDRESS, i)); i += 2) {
                features.put(
                        Native.string(entries.getAtIndex(ADDRESS, i)),
                        Native.string(entries.getAtIndex(ADDRESS, i + 1)));
            }
        }
        return features;
    }

    /** Returns whether the device supports an operator with operands of these types and shapes. */
    public boolean supports(Tensor operator) {
        return BackendApi.devSupportsOp(pointer, operator.pointer());
    }

    /**
     * Returns whether the device supports {@code operator} while its operand {@code weight} is in
     * memory of the given type. Both belong to a scratch context and have no data.
     */
    public boolean supportsWeight(BufferType candidate, Tensor weight, Tensor operator) {
        if (weight.isPlaced() || weight.isView()) {
            throw new IllegalArgumentException(weight + " is already placed");
        }
        try (DeviceBuffer empty = candidate.allocate(0)) {
            weight.probeBuffer(empty.pointer());
            try {
                return supports(operator);
            } finally {
                weight.probeBuffer(BufferPtr.NULL);
            }
        }
    }

    /**
     * Opens a queue.
     *
     * @throws VarveException of kind UNAVAILABLE if the device cannot be initialised
     */
    public Backend open() {
        BackendPtr backend = BackendApi.devInit(pointer, MemorySegment.NULL);
        if (backend.isNull()) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE, name + ": the device cannot be initialised");
        }
        return new Backend(backend, this);
    }

    /**
     * Creates a buffer over a part of a mapped file, which cannot be closed before the buffer.
     *
     * @param offset first byte, at a multiple of the memory's alignment
     * @param maxTensorBytes bytes of the largest tensor to be placed in it
     */
    public DeviceBuffer mapHostMemory(
            MappedFile file, long offset, long length, long maxTensorBytes) {
        if (!mapsHostMemory) {
            throw new IllegalStateException(name + " cannot compute with host memory");
        }
        if (length < 1 || maxTensorBytes < 1 || maxTensorBytes > length) {
            throw new IllegalArgumentException(
                    file.path()
                            + ": cannot map "
                            + length
                            + " bytes with tensors of up to "
                            + maxTensorBytes);
        }
        MemorySegment memory = file.slice(offset, length);
        if (memory.address() % bufferType().alignment() != 0) {
            throw new IllegalArgumentException(
                    file.path()
                            + ": byte "
                            + offset
                            + " is not aligned to "
                            + bufferType().alignment());
        }
        BufferPtr buffer = BackendApi.devBufferFromHostPtr(pointer, memory, length, maxTensorBytes);
        if (buffer.isNull()) {
            throw new VarveException(
                    VarveException.Kind.BACKEND_FAILED, name + " could not map " + file.path());
        }
        return new DeviceBuffer(buffer, file.lend());
    }

    /** A function of the device's backend that is looked up by name at run time. */
    Optional<MethodHandle> function(String function, FunctionDescriptor descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address =
                    BackendApi.regGetProcAddress(
                            BackendApi.devBackendReg(pointer), arena.allocateFrom(function));
            return Native.isNull(address)
                    ? Optional.empty()
                    : Optional.of(Native.bindPointer(address, descriptor));
        }
    }

    MethodHandle requireFunction(String function, FunctionDescriptor descriptor) {
        return function(function, descriptor)
                .orElseThrow(
                        () ->
                                GgmlLibrary.unavailable(
                                        name + ": function " + function + " is missing", null));
    }

    private long property(long offset) {
        try (Arena arena = Arena.ofConfined()) {
            return properties(arena).get(JAVA_LONG, offset);
        }
    }

    private MemorySegment properties(Arena arena) {
        MemorySegment props = arena.allocate(PROPS_BYTES, Long.BYTES);
        BackendApi.devGetProps(pointer, props);
        return props;
    }

    @Override
    public String toString() {
        return name;
    }
}
