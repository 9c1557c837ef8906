package dev.varve.api.ggml;

import static dev.varve.api.ggml.CType.C_INT;
import static dev.varve.api.ggml.CType.C_POINTER;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.Native.returnsNothing;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.varve.api.VarveException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * The Vulkan devices of this machine, asked from the system's loader without ggml: what ggml's
 * backend does not like in them ends the process, so it is looked at before.
 */
public final class VulkanDriver {
    /** The system's Vulkan loader. */
    public static final String LOADER = "libvulkan.so.1";

    /**
     * A physical device; its place in the list is the number that {@code GGML_VK_VISIBLE_DEVICES}
     * uses.
     *
     * @param name name of the hardware
     * @param software whether it renders on the processor's cores
     * @param usable whether it has what ggml needs: Vulkan 1.2 and 16-bit storage
     */
    public record PhysicalDevice(String name, boolean software, boolean usable) {}

    private static final int VERSION_1_2 = 1 << 22 | 2 << 12;
    private static final int INCOMPATIBLE_DRIVER = -9;
    private static final int INCOMPLETE = 5;
    private static final int TYPE_CPU = 4;
    private static final int MOST_DEVICES = 256;

    private static final int INSTANCE_CREATE_INFO = 1;
    private static final int FEATURES_2 = 1_000_059_000;
    private static final int VULKAN_1_1_FEATURES = 49;

    /** {@code VkApplicationInfo}: the API version at byte 44. */
    private static final long APPLICATION_INFO_BYTES = 48;

    private static final long API_VERSION = 44;

    /** {@code VkInstanceCreateInfo}: the application info at byte 24, no layers or extensions. */
    private static final long INSTANCE_INFO_BYTES = 64;

    private static final long APPLICATION_INFO = 24;

    /** {@code VkPhysicalDeviceProperties}: API version, three numbers, type, name. */
    private static final long PROPERTIES_BYTES = 824;

    private static final long DEVICE_TYPE = 16;
    private static final long DEVICE_NAME = 20;

    /** {@code VkPhysicalDeviceFeatures2}: a chain of more at byte 8. */
    private static final long FEATURES_BYTES = 240;

    private static final long NEXT = 8;

    /** {@code VkPhysicalDeviceVulkan11Features}: storageBuffer16BitAccess comes first. */
    private static final long FEATURES_1_1_BYTES = 64;

    private static final long STORAGE_16_BIT = 16;

    private final SymbolLookup loader;
    private final Arena arena;

    private VulkanDriver(SymbolLookup loader, Arena arena) {
        this.loader = loader;
        this.arena = arena;
    }

    /**
     * The physical devices, in the loader's order; empty where no driver has one.
     *
     * @throws VarveException of kind UNAVAILABLE if there is no loader or it fails
     */
    public static List<PhysicalDevice> physicalDevices() {
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup loader = loader();
            return Native.call(() -> new VulkanDriver(loader, arena).list());
        }
    }

    @SuppressWarnings("restricted")
    private static SymbolLookup loader() {
        try {
            return SymbolLookup.libraryLookup(LOADER, Arena.global());
        } catch (IllegalArgumentException e) {
            throw GgmlLibrary.unavailable(LOADER + " cannot be opened", e);
        }
    }

    private List<PhysicalDevice> list() throws Throwable {
        MemorySegment version = arena.allocate(JAVA_INT);
        check(
                "vkEnumerateInstanceVersion",
                (int)
                        bind("vkEnumerateInstanceVersion", returns(C_INT, C_POINTER))
                                .invokeExact(version));
        if (version.get(JAVA_INT, 0) < VERSION_1_2) {
            throw GgmlLibrary.unavailable(
                    LOADER + ": Vulkan 1.2 is needed, found " + text(version.get(JAVA_INT, 0)),
                    null);
        }
        MemorySegment application = arena.allocate(APPLICATION_INFO_BYTES, Long.BYTES);
        application.set(JAVA_INT, API_VERSION, VERSION_1_2);
        MemorySegment info = arena.allocate(INSTANCE_INFO_BYTES, Long.BYTES);
        info.set(JAVA_INT, 0, INSTANCE_CREATE_INFO);
        info.set(ADDRESS, APPLICATION_INFO, application);
        MemorySegment created = arena.allocate(ADDRESS);
        int status =
                (int)
                        bind("vkCreateInstance", returns(C_INT, C_POINTER, C_POINTER, C_POINTER))
                                .invokeExact(info, MemorySegment.NULL, created);
        if (status == INCOMPATIBLE_DRIVER) {
            return List.of();
        }
        check("vkCreateInstance", status);
        MemorySegment instance = created.get(ADDRESS, 0);
        try {
            return list(instance);
        } finally {
            bind("vkDestroyInstance", returnsNothing(C_POINTER, C_POINTER))
                    .invokeExact(instance, MemorySegment.NULL);
        }
    }

    private List<PhysicalDevice> list(MemorySegment instance) throws Throwable {
        MemorySegment count = arena.allocate(JAVA_INT);
        count.set(JAVA_INT, 0, MOST_DEVICES);
        MemorySegment handles = arena.allocate(ADDRESS, MOST_DEVICES);
        int status =
                (int)
                        bind(
                                        "vkEnumeratePhysicalDevices",
                                        returns(C_INT, C_POINTER, C_POINTER, C_POINTER))
                                .invokeExact(instance, count, handles);
        if (status != INCOMPLETE) {
            check("vkEnumeratePhysicalDevices", status);
        }
        List<PhysicalDevice> devices = new ArrayList<>();
        for (int i = 0; i < count.get(JAVA_INT, 0); i++) {
            devices.add(describe(handles.getAtIndex(ADDRESS, i)));
        }
        return devices;
    }

    private PhysicalDevice describe(MemorySegment device) throws Throwable {
        MemorySegment properties = arena.allocate(PROPERTIES_BYTES, Long.BYTES);
        bind("vkGetPhysicalDeviceProperties", returnsNothing(C_POINTER, C_POINTER))
                .invokeExact(device, properties);
        boolean usable = properties.get(JAVA_INT, 0) >= VERSION_1_2 && hasStorageOf16Bits(device);
        return new PhysicalDevice(
                properties.getString(DEVICE_NAME),
                properties.get(JAVA_INT, DEVICE_TYPE) == TYPE_CPU,
                usable);
    }

    private boolean hasStorageOf16Bits(MemorySegment device) throws Throwable {
        MemorySegment more = arena.allocate(FEATURES_1_1_BYTES, Long.BYTES);
        more.set(JAVA_INT, 0, VULKAN_1_1_FEATURES);
        MemorySegment features = arena.allocate(FEATURES_BYTES, Long.BYTES);
        features.set(JAVA_INT, 0, FEATURES_2);
        features.set(ADDRESS, NEXT, more);
        bind("vkGetPhysicalDeviceFeatures2", returnsNothing(C_POINTER, C_POINTER))
                .invokeExact(device, features);
        return more.get(JAVA_INT, STORAGE_16_BIT) != 0;
    }

    private MethodHandle bind(String name, Signature signature) {
        MemorySegment function =
                loader.find(name)
                        .orElseThrow(
                                () ->
                                        GgmlLibrary.unavailable(
                                                LOADER + ": function " + name + " is missing",
                                                null));
        return Native.bindPointer(function, signature);
    }

    private static void check(String call, int status) {
        if (status != 0) {
            throw GgmlLibrary.unavailable(
                    LOADER + ": " + call + " failed with status " + status, null);
        }
    }

    private static String text(int version) {
        return (version >>> 22) + "." + (version >>> 12 & 0x3FF);
    }
}
