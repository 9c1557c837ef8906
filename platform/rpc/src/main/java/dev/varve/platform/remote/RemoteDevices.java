package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireChannel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;

/** Queries shard processes for their devices. */
public final class RemoteDevices {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int TEXT = 4096;

    private RemoteDevices() {}

    /**
     * Returns the properties of a device of another process.
     *
     * @param link used for this query only; closed afterwards
     * @param device name of the device there
     * @throws VarveException of kind UNAVAILABLE if the process or the device cannot be reached
     */
    public static DeviceInfo find(ShardLink link, String device) {
        List<DeviceInfo> devices = list(link);
        return devices.stream()
                .filter(found -> found.name().equals(device))
                .findFirst()
                .orElseThrow(
                        () ->
                                new VarveException(
                                        VarveException.Kind.UNAVAILABLE,
                                        device
                                                + ": the shard process has no such device; it has "
                                                + devices.stream().map(DeviceInfo::name).toList()));
    }

    private static List<DeviceInfo> list(ShardLink link) {
        try (link;
                WireChannel channel = link.open()) {
            FieldReader fields =
                    new FieldReader(
                            channel.call(Message.of(MessageType.DESCRIBE), LIMIT).join().meta());
            int count = fields.number("devices", 0, 1024);
            List<DeviceInfo> devices = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                devices.add(
                        new DeviceInfo(
                                fields.text("name", TEXT),
                                fields.text("description", TEXT),
                                fields.number("memory", 0L, Long.MAX_VALUE),
                                fields.number("free memory", 0L, Long.MAX_VALUE),
                                fields.flag("host cores")));
            }
            fields.end();
            return devices;
        } catch (CompletionException e) {
            if (e.getCause() instanceof VarveException reason) {
                throw reason;
            }
            throw e;
        }
    }
}
