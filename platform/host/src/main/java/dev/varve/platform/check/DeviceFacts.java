package dev.varve.platform.check;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.setting.ByteCount;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Opens a device and reports its backend, memory and features. */
final class DeviceFacts {
    private final CheckSetup setup;
    private final DeviceReference device;

    DeviceFacts(CheckSetup setup, DeviceReference device) {
        this.setup = setup;
        this.device = device;
    }

    List<Check> checks() {
        return List.of(
                new Check(CheckGroup.DEVICE, "backend", this::backend),
                new Check(CheckGroup.DEVICE, "memory", this::memory),
                new Check(CheckGroup.DEVICE, "features", this::features));
    }

    private Verdict backend() {
        try (ComputeDevice opened = setup.open(device)) {
            return Verdict.ok(
                    "",
                    opened.info().description()
                            + ", ggml "
                            + GgmlLibrary.version()
                            + ", backend "
                            + opened.ggmlDevice().backendName());
        }
    }

    private Verdict memory() {
        try (ComputeDevice opened = setup.open(device)) {
            long free = opened.info().memoryFreeBytes();
            long total = opened.info().memoryTotalBytes();
            return Verdict.of(
                    0 < free && free <= total,
                    "free memory",
                    String.format(
                            Locale.ROOT,
                            "%s of %s free",
                            ByteCount.format(free),
                            ByteCount.format(total)));
        }
    }

    private Verdict features() {
        try (ComputeDevice opened = setup.open(device)) {
            Map<String, String> features = new TreeMap<>(opened.ggmlDevice().features());
            StringBuilder text = new StringBuilder();
            text.append(opened.ggmlDevice().kind().name().toLowerCase(Locale.ROOT));
            text.append(opened.info().hostCores() ? " on the processor's cores" : "");
            text.append(opened.bufferType().isHost() ? ", host memory" : ", memory of its own");
            if (opened.threads(ComputeDevice.Phase.DECODE) > 0) {
                text.append(", ")
                        .append(opened.threads(ComputeDevice.Phase.DECODE))
                        .append(" threads");
            }
            features.forEach(
                    (name, value) ->
                            text.append(", ")
                                    .append(value.equals("1") ? name : name + "=" + value));
            return Verdict.ok("", text.toString());
        }
    }
}
