package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.setting.ByteCount;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Locale;

/** Lists the devices of all backends; a backend that cannot be used is listed with the reason. */
@Command(
        name = "devices",
        addMethodSubcommands = false,
        description = "Lists devices, and unavailable backends with the reason.",
        footer = {"  varve devices", "  varve devices --json"})
final class DevicesCommand extends CliCommand {
    @Mixin private PluginOptions plugins;

    @Option(names = "--json", description = "Print one JSON array.")
    private boolean json;

    @Override
    int run() {
        PluginCatalog catalog = plugins.discover(environment());
        ArrayNode listed = CliJson.array();
        LocalBackends backends =
                new LocalBackends(catalog.backends(), plugins.backendOptions(environment()));
        for (DeviceBackendProvider provider : catalog.backends().values()) {
            try {
                DeviceBackend backend = backends.open(provider.name());
                List<DeviceInfo> devices = backend.devices();
                devices.forEach(device -> show(provider, device, backend, listed));
                if (devices.isEmpty()) {
                    showUnavailable(provider, "no device was found", listed);
                }
            } catch (VarveException e) {
                showUnavailable(provider, e.getMessage(), listed);
            }
        }
        if (json) {
            out().println(CliJson.write(listed));
        } else if (listed.isEmpty()) {
            out().println(
                            "no device backend among the plugins in "
                                    + plugins.folder(environment())
                                    + "; varve plugins lists them");
        }
        return 0;
    }

    private void show(
            DeviceBackendProvider provider,
            DeviceInfo device,
            DeviceBackend backend,
            ArrayNode listed) {
        ObjectNode entry = listed.addObject();
        entry.put("name", device.name())
                .put("backend", provider.name())
                .put("ggml_version", provider.ggmlVersion())
                .put("available", true)
                .put("description", device.description())
                .put("memory_total_bytes", device.memoryTotalBytes())
                .put("memory_free_bytes", device.memoryFreeBytes())
                .put("host_cores", device.hostCores());
        ArrayNode libraries = entry.putArray("system_libraries");
        backend.systemLibraries().forEach(file -> libraries.add(file.toString()));
        if (!json) {
            out().println(
                            String.format(
                                    Locale.ROOT,
                                    "%-9s %s, %s of %s free, ggml %s",
                                    device.name(),
                                    device.description(),
                                    ByteCount.format(device.memoryFreeBytes()),
                                    ByteCount.format(device.memoryTotalBytes()),
                                    provider.ggmlVersion()));
            backend.systemLibraries().forEach(file -> out().println("          with " + file));
        }
    }

    private void showUnavailable(DeviceBackendProvider provider, String reason, ArrayNode listed) {
        listed.addObject()
                .put("name", provider.name())
                .put("backend", provider.name())
                .put("ggml_version", provider.ggmlVersion())
                .put("available", false)
                .put("reason", reason);
        if (!json) {
            out().println(
                            String.format(
                                    Locale.ROOT, "%-9s unavailable: %s", provider.name(), reason));
        }
    }
}
