package dev.varve.platform.plugin;

import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.model.ModelFamilyProvider;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A plugin that may be used.
 *
 * @param file the jar, or the folder of jars, that it came from
 * @param module name of the module with the providers; several are joined by commas
 * @param version version of that module, where it carries one
 * @param families model families, in the order of the module declaration
 * @param backends device backends, in the order of the module declaration
 */
public record LoadedPlugin(
        Path file,
        String module,
        Optional<String> version,
        List<ModelFamilyProvider> families,
        List<DeviceBackendProvider> backends) {
    public LoadedPlugin {
        families = List.copyOf(families);
        backends = List.copyOf(backends);
    }

    /** What it serves, in one line: {@code model families: qwen35; devices: cpu}. */
    public String describeServices() {
        List<String> architectures =
                families.stream()
                        .flatMap(family -> family.architectures().stream().sorted())
                        .toList();
        List<String> devices = backends.stream().map(DeviceBackendProvider::name).toList();
        String separator = architectures.isEmpty() || devices.isEmpty() ? "" : "; ";
        return (architectures.isEmpty() ? "" : "models: " + String.join(", ", architectures))
                + separator
                + (devices.isEmpty() ? "" : "devices: " + String.join(", ", devices));
    }
}
