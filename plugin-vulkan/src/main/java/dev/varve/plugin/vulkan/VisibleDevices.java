package dev.varve.plugin.vulkan;

import dev.varve.api.VarveException;
import dev.varve.api.nativecall.SystemLibrary;
import dev.varve.plugin.vulkan.VulkanDriver.PhysicalDevice;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The devices that ggml's Vulkan library will use, checked before it is loaded: a number that is
 * out of range, or a chosen device that lacks a feature, would end the process.
 *
 * @param chosen value of {@value #VARIABLE}; empty: ggml uses every usable device except software
 *     renderers
 * @param deviceFiles folder of the device files of graphics hardware
 * @param driver queries the system for its devices
 */
record VisibleDevices(
        Optional<String> chosen, Path deviceFiles, Supplier<List<PhysicalDevice>> driver) {
    /** Numbers of the devices to use, in the order of the system's Vulkan loader. */
    static final String VARIABLE = "GGML_VK_VISIBLE_DEVICES";

    private static final Pattern NUMBERS = Pattern.compile("\\d{1,4}(,\\d{1,4})*");

    /** Size of ggml's table of devices. */
    private static final int MOST = 16;

    /** One of these exists on every machine with graphics hardware. */
    private static final List<String> HARDWARE = List.of("dri", "nvidiactl", "nvidia0", "dxg");

    private static final String DRIVERS =
            "install the driver of the graphics card, or mesa-vulkan-drivers (Debian, Ubuntu)";

    private static final String SOFTWARE_HINT =
            "; with " + VARIABLE + "=0 in the environment Varve uses a software renderer";

    /**
     * Names of the machine's software renderers, after checking that ggml will use some device.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, or the choice is invalid
     */
    Set<String> softwareNames() {
        if (chosen.isPresent() && !NUMBERS.matcher(chosen.get()).matches()) {
            throw unavailable(
                    VARIABLE
                            + ": expected device numbers such as 0 or 0,1, found '"
                            + chosen.get()
                            + "'");
        }
        // A query starts every installed driver, which takes a while.
        if (chosen.isEmpty()
                && HARDWARE.stream().noneMatch(name -> Files.exists(deviceFiles.resolve(name)))) {
            throw unavailable(
                    "found no graphics device in "
                            + deviceFiles
                            + " (looked for "
                            + String.join(", ", HARDWARE)
                            + ")"
                            + SOFTWARE_HINT
                            + " (Debian, Ubuntu: apt-get install libvulkan1"
                            + " mesa-vulkan-drivers)");
        }
        SystemLibrary.whyMissing(VulkanDriver.LOADER)
                .ifPresent(
                        reason -> {
                            throw unavailable(
                                    "the Vulkan loader is missing (Debian, Ubuntu: apt-get install"
                                            + " libvulkan1): "
                                            + reason);
                        });
        List<PhysicalDevice> devices = driver.get();
        if (devices.isEmpty()) {
            throw unavailable("no Vulkan driver provides a device; " + DRIVERS);
        }
        chosen.ifPresentOrElse(
                numbers -> requireChosen(numbers, devices), () -> requireHardware(devices));
        return devices.stream()
                .filter(PhysicalDevice::software)
                .map(PhysicalDevice::name)
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Returns whether only software renderers were chosen; call it after {@link #softwareNames}.
     */
    boolean onlySoftware() {
        List<PhysicalDevice> devices = driver.get();
        return chosen.isPresent()
                && Pattern.compile(",")
                        .splitAsStream(chosen.get())
                        .map(Integer::valueOf)
                        .allMatch(number -> devices.get(number).software());
    }

    private static void requireChosen(String numbers, List<PhysicalDevice> devices) {
        List<Integer> chosen =
                Pattern.compile(",").splitAsStream(numbers).map(Integer::valueOf).toList();
        if (chosen.size() > MOST) {
            throw unavailable(
                    VARIABLE + ": expected at most " + MOST + " devices, found " + chosen.size());
        }
        for (int number : chosen) {
            if (number >= devices.size()) {
                throw unavailable(
                        VARIABLE
                                + "="
                                + numbers
                                + ": device "
                                + number
                                + " does not exist; expected 0 to "
                                + (devices.size() - 1));
            }
            PhysicalDevice device = devices.get(number);
            if (!device.usable()) {
                throw unavailable(
                        VARIABLE
                                + "="
                                + numbers
                                + ": "
                                + device.name()
                                + " lacks Vulkan 1.2 with 16-bit storage");
            }
        }
    }

    private static void requireHardware(List<PhysicalDevice> devices) {
        if (devices.stream().allMatch(PhysicalDevice::software)) {
            throw unavailable(
                    "the only Vulkan devices are software renderers ("
                            + names(devices)
                            + ")"
                            + SOFTWARE_HINT);
        }
        if (devices.stream().noneMatch(device -> !device.software() && device.usable())) {
            throw unavailable(
                    "no Vulkan device has Vulkan 1.2 with 16-bit storage (" + names(devices) + ")");
        }
    }

    private static String names(List<PhysicalDevice> devices) {
        return devices.stream().map(PhysicalDevice::name).collect(Collectors.joining(", "));
    }

    private static VarveException unavailable(String message) {
        return new VarveException(VarveException.Kind.UNAVAILABLE, message);
    }
}
