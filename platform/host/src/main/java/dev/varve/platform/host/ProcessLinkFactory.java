package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.ProcessLocation;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.remote.ChildProcessLink;
import dev.varve.platform.remote.ExternalProcessLink;
import dev.varve.platform.remote.ShardLaunch;
import dev.varve.platform.remote.ShardLink;
import dev.varve.platform.remote.ShardWireOptions;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.wire.WireOptions;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Creates links to processes that this installation starts, and to listening processes. */
final class ProcessLinkFactory implements ShardLinkFactory {
    private static final String UNIX = "unix";

    private final List<Path> models;
    private final List<Path> adapterFolders;
    private final PluginCatalog catalog;
    private final ShardProcessSettings settings;

    /**
     * @param models files that processes may load
     */
    ProcessLinkFactory(List<Path> models, PluginCatalog catalog, ShardProcessSettings settings) {
        this(models, List.of(), catalog, settings);
    }

    /**
     * @param models files that processes may load
     * @param adapterFolders folders of adapters that processes may load
     */
    ProcessLinkFactory(
            List<Path> models,
            List<Path> adapterFolders,
            PluginCatalog catalog,
            ShardProcessSettings settings) {
        this.models = List.copyOf(models);
        this.adapterFolders = List.copyOf(adapterFolders);
        this.catalog = catalog;
        this.settings = settings;
    }

    @Override
    public ShardLink to(DeviceReference device) {
        return switch (device.site()) {
            case ProcessLocation.Local local ->
                    throw new IllegalArgumentException(device + " is local");
            case ProcessLocation.Child child ->
                    new ChildProcessLink(
                            launch(device),
                            catalog.transport(UNIX),
                            ShardWireOptions.wireOptions("server"));
            case ProcessLocation.Listening(var address) -> listening(address);
        };
    }

    private ShardLink listening(String address) {
        int colon = address.indexOf(':');
        WireOptions wire =
                ShardWireOptions.wireOptions("server").withToken(settings.transport().token());
        return new ExternalProcessLink(
                catalog.transport(address.substring(0, colon)),
                address.substring(colon + 1),
                settings.transport(),
                wire);
    }

    private ShardLaunch launch(DeviceReference device) {
        if (settings.command().isEmpty()) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    Setting.SHARD_LAUNCHER
                            + " is required to start shard processes: bin/varve did not start this"
                            + " process");
        }
        List<String> command = new ArrayList<>(settings.command());
        command.addAll(List.of("--device", device.device()));
        for (Path model : models) {
            command.addAll(List.of("--model", model.toAbsolutePath().toString()));
        }
        for (Path folder : adapterFolders) {
            command.addAll(List.of("--lora-dir", folder.toAbsolutePath().toString()));
        }
        return new ShardLaunch(device.toString(), command, Map.of(), settings.workFolder());
    }
}
