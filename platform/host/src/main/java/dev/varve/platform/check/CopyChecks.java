package dev.varve.platform.check;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** Checks the bytes of copies between host and device and between devices, and their speed. */
final class CopyChecks {
    private static final int MEBIBYTE = 1 << 20;

    /** Copies of which the median counts. */
    private static final int RUNS = 5;

    /**
     * Speed in bytes per second below which copies to a card are slow: one lane of PCIe 3.0, the
     * slowest link of a card that works.
     */
    private static final double LEAST_SPEED = 1e9;

    private final CheckSetup setup;
    private final DeviceReference device;

    CopyChecks(CheckSetup setup, DeviceReference device) {
        this.setup = setup;
        this.device = device;
    }

    List<Check> checks() {
        List<Check> checks = new ArrayList<>();
        for (int size : setup.isFull() ? new int[] {1, 32, 256} : new int[] {32}) {
            checks.add(check("host and device, " + size + " MiB", () -> withHost(size)));
        }
        checks.add(check("within the device, 32 MiB", () -> toDevice(device)));
        for (String other : others()) {
            checks.add(
                    check(
                            "to " + other + ", 32 MiB",
                            () -> toDevice(DeviceReference.parse(other))));
        }
        return checks;
    }

    private static Check check(String name, Callable<Verdict> body) {
        return new Check(CheckGroup.COPIES, name, body);
    }

    /**
     * Other devices of this process that have memory of their own. Copies between them and the
     * processor's memory are checked with them.
     */
    private Set<String> others() {
        if (device.equals(DeviceReference.PROCESSOR)) {
            return Set.of();
        }
        Set<String> others = new TreeSet<>();
        LocalBackends backends = setup.backends();
        for (String backend : setup.catalog().backends().keySet()) {
            try {
                backends.open(backend).devices().stream()
                        .map(DeviceInfo::name)
                        .filter(name -> !name.equals(CheckSetup.PROCESSOR))
                        .forEach(others::add);
            } catch (VarveException _) {
                // The command reports backends that are unavailable.
            }
        }
        others.remove(device.toString());
        return others;
    }

    private Verdict withHost(int mebibytes) {
        try (ComputeDevice opened = setup.open(device);
                CopyMemory memory = CopyMemory.of(opened, mebibytes * MEBIBYTE)) {
            return withHost(memory, mebibytes * MEBIBYTE, least(opened));
        }
    }

    private Verdict toDevice(DeviceReference other) {
        int bytes = 32 * MEBIBYTE;
        try (ComputeDevice opened = setup.open(device);
                ComputeDevice second = setup.open(other);
                CopyMemory memory = CopyMemory.of(opened, bytes);
                CopyMemory target = CopyMemory.of(second, bytes)) {
            return between(memory, target, bytes, least(opened));
        }
    }

    private static double least(ComputeDevice device) {
        return device.info().hostCores() ? 0 : LEAST_SPEED;
    }

    /**
     * Copies to and from memory.
     *
     * @param least bytes per second that are expected
     */
    static Verdict withHost(CopyMemory memory, int bytes, double least) {
        ByteBuffer source = random(bytes);
        ByteBuffer target = ByteBuffer.allocateDirect(bytes);
        double write = speed(bytes, () -> memory.write(source));
        double read = speed(bytes, () -> memory.read(target));
        return verdict(
                source,
                target,
                Math.min(write, read) >= least,
                String.format(
                        Locale.ROOT, "%.1f GB/s to it, %.1f GB/s from it", write / 1e9, read / 1e9),
                least);
    }

    /** Copies between two memories. */
    static Verdict between(CopyMemory memory, CopyMemory other, int bytes, double least) {
        ByteBuffer source = random(bytes);
        ByteBuffer target = ByteBuffer.allocateDirect(bytes);
        memory.write(source);
        // A copy may be queued; reading one waits for it.
        ByteBuffer wait = ByteBuffer.allocateDirect(bytes);
        double speed = speed(bytes, () -> memory.copyTo(other));
        other.read(wait);
        other.read(target);
        return verdict(
                source,
                target,
                speed >= least,
                String.format(Locale.ROOT, "%.1f GB/s", speed / 1e9),
                least);
    }

    private static Verdict verdict(
            ByteBuffer source, ByteBuffer target, boolean inTime, String found, double least) {
        int at = source.mismatch(target);
        if (at >= 0) {
            return Verdict.differs(
                    "the same bytes", "another byte at " + at + " of " + source.capacity());
        }
        if (!inTime) {
            return Verdict.slow(
                    String.format(Locale.ROOT, "at least %.1f GB/s", least / 1e9), found);
        }
        return Verdict.ok("the same bytes", found);
    }

    private static ByteBuffer random(int bytes) {
        byte[] values = new byte[bytes];
        new Random(bytes).nextBytes(values);
        return ByteBuffer.allocateDirect(bytes).put(values).flip();
    }

    /** Median speed in bytes per second. */
    private static double speed(int bytes, Runnable copy) {
        double[] seconds = new double[RUNS];
        for (int run = -1; run < RUNS; run++) {
            long begin = System.nanoTime();
            copy.run();
            if (run >= 0) {
                seconds[run] = Math.max(1, System.nanoTime() - begin) / 1e9;
            }
        }
        Arrays.sort(seconds);
        return bytes / seconds[RUNS / 2];
    }
}
