package dev.varve.plugin.vulkan;

import static dev.varve.api.nativecall.NativePointer.NULL;

import dev.varve.api.VarveException;
import dev.varve.api.nativecall.NativeMemory;
import dev.varve.api.nativecall.NativePointer;
import dev.varve.api.nativecall.NativeScope;
import dev.varve.api.nativecall.SystemLibrary;

import java.util.ArrayList;
import java.util.List;

/**
 * The Vulkan devices of this machine, queried from the system's loader without ggml: unsuitable
 * devices would make ggml's backend end the process, so they are checked before.
 *
 * @param loader the system's Vulkan loader
 * @param scope owns the structs of the calls
 */
record VulkanDriver(SystemLibrary loader, NativeScope scope) {
    /** The system's Vulkan loader. */
    static final String LOADER = "libvulkan.so.1";

    /**
     * A physical device; its index in the list is the number that {@code GGML_VK_VISIBLE_DEVICES}
     * uses.
     *
     * @param name name of the hardware
     * @param software whether it renders on the processor's cores
     * @param usable whether it has the features that ggml needs: Vulkan 1.2 and 16-bit storage
     */
    record PhysicalDevice(String name, boolean software, boolean usable) {}

    private static final int VERSION_1_2 = 1 << 22 | 2 << 12;
    private static final int INCOMPATIBLE_DRIVER = -9;
    private static final int INCOMPLETE = 5;
    private static final int TYPE_CPU = 4;
    private static final int MOST_DEVICES = 256;

    private static final int INSTANCE_CREATE_INFO = 1;
    private static final int FEATURES_2 = 1_000_059_000;
    private static final int VULKAN_1_1_FEATURES = 49;

    /** {@code VkApplicationInfo}: the API version at byte 44. */
    private static final int APPLICATION_INFO_BYTES = 48;

    private static final long API_VERSION = 44;

    /** {@code VkInstanceCreateInfo}: the application info at byte 24, no layers or extensions. */
    private static final int INSTANCE_INFO_BYTES = 64;

    private static final long APPLICATION_INFO = 24;

    /** {@code VkPhysicalDeviceProperties}: API version, three numbers, type, name. */
    private static final int PROPERTIES_BYTES = 824;

    private static final long DEVICE_TYPE = 16;
    private static final long DEVICE_NAME = 20;

    /** {@code VkPhysicalDeviceFeatures2}: pointer to the next struct at byte 8. */
    private static final int FEATURES_BYTES = 240;

    private static final long NEXT = 8;

    /** {@code VkPhysicalDeviceVulkan11Features}: storageBuffer16BitAccess comes first. */
    private static final int FEATURES_1_1_BYTES = 64;

    private static final long STORAGE_16_BIT = 16;

    /**
     * The physical devices, in the loader's order; empty if no driver has one.
     *
     * @throws VarveException of kind UNAVAILABLE if there is no loader or it fails
     */
    static List<PhysicalDevice> physicalDevices() {
        SystemLibrary loader = SystemLibrary.open(LOADER);
        try (NativeScope scope = NativeScope.open()) {
            return new VulkanDriver(loader, scope).list();
        }
    }

    private List<PhysicalDevice> list() {
        NativeMemory version = scope.allocate(Integer.BYTES);
        check("vkEnumerateInstanceVersion", loader.callInt("vkEnumerateInstanceVersion", version));
        requireVersion(version.getInt(0));
        NativeMemory application = scope.allocate(APPLICATION_INFO_BYTES);
        application.setInt(API_VERSION, VERSION_1_2);
        NativeMemory info = scope.allocate(INSTANCE_INFO_BYTES);
        info.setInt(0, INSTANCE_CREATE_INFO);
        info.setPointer(APPLICATION_INFO, application);
        NativeMemory created = scope.allocate(Long.BYTES);
        int status = loader.callInt("vkCreateInstance", info, NULL, created);
        if (status == INCOMPATIBLE_DRIVER) {
            return List.of();
        }
        check("vkCreateInstance", status);
        NativePointer instance = created.getPointer(0);
        try {
            return list(instance);
        } finally {
            loader.call("vkDestroyInstance", instance, NULL);
        }
    }

    private List<PhysicalDevice> list(NativePointer instance) {
        NativeMemory count = scope.allocate(Integer.BYTES);
        count.setInt(0, MOST_DEVICES);
        NativeMemory handles = scope.allocate(MOST_DEVICES * Long.BYTES);
        int status = loader.callInt("vkEnumeratePhysicalDevices", instance, count, handles);
        if (status != INCOMPLETE) {
            check("vkEnumeratePhysicalDevices", status);
        }
        List<PhysicalDevice> devices = new ArrayList<>();
        for (int i = 0; i < count.getInt(0); i++) {
            devices.add(describe(handles.getPointer((long) i * Long.BYTES)));
        }
        return devices;
    }

    private PhysicalDevice describe(NativePointer device) {
        NativeMemory properties = scope.allocate(PROPERTIES_BYTES);
        loader.call("vkGetPhysicalDeviceProperties", device, properties);
        boolean usable = properties.getInt(0) >= VERSION_1_2 && hasStorageOf16Bits(device);
        return new PhysicalDevice(
                properties.getText(DEVICE_NAME),
                properties.getInt(DEVICE_TYPE) == TYPE_CPU,
                usable);
    }

    private boolean hasStorageOf16Bits(NativePointer device) {
        NativeMemory more = scope.allocate(FEATURES_1_1_BYTES);
        more.setInt(0, VULKAN_1_1_FEATURES);
        NativeMemory features = scope.allocate(FEATURES_BYTES);
        features.setInt(0, FEATURES_2);
        features.setPointer(NEXT, more);
        loader.call("vkGetPhysicalDeviceFeatures2", device, features);
        return more.getInt(STORAGE_16_BIT) != 0;
    }

    /** Fails unless the loader supports the version that ggml needs. */
    static void requireVersion(int found) {
        if (found < VERSION_1_2) {
            throw unavailable("expected Vulkan 1.2 or later, found " + text(found));
        }
    }

    /** Fails unless a call succeeded. */
    static void check(String call, int status) {
        if (status != 0) {
            throw unavailable(call + " failed with status " + status);
        }
    }

    private static VarveException unavailable(String message) {
        return new VarveException(VarveException.Kind.UNAVAILABLE, LOADER + ": " + message);
    }

    private static String text(int version) {
        return (version >>> 22) + "." + (version >>> 12 & 0x3FF);
    }
}
