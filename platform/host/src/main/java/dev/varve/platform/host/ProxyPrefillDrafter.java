package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.remote.ShardLoadRequest;

import java.util.ArrayList;
import java.util.List;

/**
 * Prefill drafter without its target model, for a server that forwards compressed prompts to
 * another server, and for showing what compression keeps. {@link #close} frees its weights and its
 * device. Thread-safe.
 */
@SuppressWarnings("exports") // see package-info
public final class ProxyPrefillDrafter implements AutoCloseable {
    private final HostedModel.CompressingDrafter drafter;
    private final Runnable closeDevices;

    /**
     * @param drafter owned by this object from now on
     * @param closeDevices closes the devices on which it computes
     */
    ProxyPrefillDrafter(HostedModel.CompressingDrafter drafter, Runnable closeDevices) {
        this.drafter = drafter;
        this.closeDevices = closeDevices;
    }

    /**
     * Opens a drafter.
     *
     * @param devices devices for it, unless {@code settings} name a device
     * @param plugins source of its family and the device
     * @param processes how its own process is started or reached
     * @throws VarveException if its file or the device cannot be used
     * @throws IllegalArgumentException that begins with a setting if no plugin provides the device
     */
    public static ProxyPrefillDrafter open(
            CompressionSettings settings,
            DeviceSettings devices,
            PluginSettings plugins,
            ShardProcessSettings processes,
            ModelLoadListener listener) {
        PluginCatalog catalog = plugins.catalog();
        catalog.rejected().forEach(plugin -> listener.warning(PreparedModel.describe(plugin)));
        PlacementRequest asked = devices.placement();
        LocalBackends backends =
                new LocalBackends(catalog.backends(), plugins.backendOptions(asked.peerAccess()));
        PlacementRequest request = asked.resolve(backends::best);
        listener.resolved(request, backends::provides);
        List<ComputeDevice> opened = new ArrayList<>();
        try {
            HostedModel.CompressingDrafter drafter =
                    new PrefillDrafterFactory(
                                    settings,
                                    ModelOptions.defaults(),
                                    catalog,
                                    new DraftDevices(
                                            request,
                                            where -> add(opened, backends, where, devices),
                                            where ->
                                                    new ShardLoadRequest.Device(
                                                            where.device(),
                                                            devices.options(CpuSharingMode.ALONE)),
                                            new ProcessLinkFactory(
                                                    List.of(settings.drafter()),
                                                    catalog,
                                                    settings.placement().within(processes)),
                                            TensorDigests.cachedIn(plugins.cacheFolder())),
                                    listener::note)
                            .open();
            return new ProxyPrefillDrafter(drafter, () -> opened.forEach(ComputeDevice::close));
        } catch (RuntimeException | Error e) {
            opened.forEach(ComputeDevice::close);
            throw e;
        }
    }

    private static ComputeDevice add(
            List<ComputeDevice> opened,
            LocalBackends backends,
            DeviceReference where,
            DeviceSettings settings) {
        ComputeDevice device = backends.openDevice(where, settings.options(CpuSharingMode.ALONE));
        opened.add(device);
        return device;
    }

    /** Returns the compressor for conversations, which this object owns. */
    public ConversationCompressor compressor() {
        return drafter.compressor();
    }

    @Override
    public void close() {
        drafter.drafter().close();
        closeDevices.run();
    }
}
