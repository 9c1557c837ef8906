package dev.varve.api.backend;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.GgmlLibrary;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The devices of a backend whose library is a single file beside ggml's base library. Thread-safe.
 */
public final class GpuBackend implements DeviceBackend {
    /**
     * A device with its lock.
     *
     * @param hostCores as in {@link DeviceInfo#hostCores}
     */
    private record Member(GgmlDevice device, boolean hostCores, Object lock) {}

    private final String name;
    private final List<Member> members;

    private GpuBackend(String name, List<Member> members) {
        this.name = name;
        this.members = List.copyOf(members);
    }

    /**
     * Loads a backend, unless this process has already loaded it, and finds its devices.
     *
     * @param name name of the backend in device references, such as {@code vulkan}
     * @param ggmlName ggml's name for it, such as {@code Vulkan}
     * @param library its file; the base library that is already loaded satisfies its dependency on
     *     ggml's base
     * @param onHostCores which devices compute on the processor's cores
     * @throws VarveException of kind UNAVAILABLE if ggml's base is not loaded, if the library
     *     cannot be loaded, or if it finds no device
     */
    public static GpuBackend open(
            String name, String ggmlName, Path library, Predicate<GgmlDevice> onHostCores) {
        GgmlLibrary.baseFile();
        List<GgmlDevice> devices = find(ggmlName).toList();
        if (devices.isEmpty()) {
            GgmlLibrary.context("loading " + library);
            GgmlLibrary.loadBackend(library);
            devices = find(ggmlName).toList();
        }
        if (devices.isEmpty()) {
            throw unavailable(library + " was loaded, but finds no device");
        }
        List<Member> members = new ArrayList<>();
        for (GgmlDevice device : devices) {
            boolean hostCores = onHostCores.test(device);
            members.add(new Member(device, hostCores, hostCores ? HostCores.lock() : new Object()));
        }
        return new GpuBackend(name, members);
    }

    /**
     * Returns the file of a packed backend: the one in {@link BackendOptions#ggmlHome} if that
     * folder is set, else the one in the plugin's jar, unpacked.
     *
     * @param owner a class of the plugin
     * @param backend name of the backend, which is also part of the names of its files
     */
    public static Path packedLibrary(Class<?> owner, String backend, BackendOptions options) {
        String file = "libggml-" + backend + ".so";
        return options.ggmlHome()
                .map(home -> home.resolve(file))
                .filter(Files::isRegularFile)
                .orElseGet(
                        () ->
                                new NativeBundle(owner, backend, options.cacheFolder())
                                        .unpack()
                                        .resolve(file));
    }

    private static Stream<GgmlDevice> find(String ggmlName) {
        return GgmlDevice.all().stream().filter(device -> device.backendName().equals(ggmlName));
    }

    @Override
    public List<DeviceInfo> devices() {
        List<DeviceInfo> infos = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            infos.add(info(i));
        }
        return infos;
    }

    private DeviceInfo info(int index) {
        Member member = members.get(index);
        return new DeviceInfo(
                name + ":" + index,
                member.device().description(),
                member.device().memoryTotal(),
                member.device().memoryFree(),
                member.hostCores());
    }

    @Override
    public ComputeDevice open(int index, DeviceOptions options) {
        if (index < 0 || index >= members.size()) {
            throw unavailable(
                    name
                            + ":"
                            + index
                            + ": the backend "
                            + (members.size() == 1
                                    ? "has only " + name + ":0"
                                    : "has " + members.size() + " devices"));
        }
        Member member = members.get(index);
        return new GpuDevice(member.device(), info(index), member.lock());
    }

    private static VarveException unavailable(String message) {
        return new VarveException(VarveException.Kind.UNAVAILABLE, message);
    }
}
