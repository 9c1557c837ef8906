package dev.varve.platform.plugin;

import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.transport.TransportProvider;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A plugin that may be used.
 *
 * @param file the jar, or the folder of jars, that it came from
 * @param module name of the module with the providers; several are joined by commas
 * @param version version of that module, where it carries one
 * @param families model families, in the order of the module declaration
 * @param backends device backends, in the order of the module declaration
 * @param transports transports, in the order of the module declaration
 */
public record LoadedPlugin(
        Path file,
        String module,
        Optional<String> version,
        List<ModelFamilyProvider> families,
        List<DeviceBackendProvider> backends,
        List<TransportProvider> transports) {
    public LoadedPlugin {
        families = List.copyOf(families);
        backends = List.copyOf(backends);
        transports = List.copyOf(transports);
    }

    /** What it serves, in one line: {@code models: qwen35; devices: cpu; transports: grpc}. */
    public String describeServices() {
        List<String> architectures =
                families.stream()
                        .flatMap(family -> family.architectures().stream().sorted())
                        .toList();
        return Stream.of(
                        listed("models", architectures),
                        listed(
                                "devices",
                                backends.stream().map(DeviceBackendProvider::name).toList()),
                        listed(
                                "transports",
                                transports.stream().map(TransportProvider::scheme).toList()))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("; "));
    }

    private static String listed(String what, List<String> names) {
        return names.isEmpty() ? "" : what + ": " + String.join(", ", names);
    }
}
