package dev.varve.conformance;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.prefix.DiskTierOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Checks cache hits of a model half on the processor and half on a Vulkan device, in a process of
 * its own.
 */
final class VulkanHits {
    private VulkanHits() {}

    /** Returns a model whose recurrent states have sizes for which shaders exist: not 48. */
    static RandomModel spec(Family family) {
        return family == Family.GEMMA4
                ? family.odd(seed(family), TensorType.F16)
                : family.odd(seed(family), TensorType.F32);
    }

    private static long seed(Family family) {
        return family == Family.GEMMA4 ? 8 : 1;
    }

    /** Runs in the process: file, target, family, folder of the disk. */
    public static void main(String[] arguments) throws IOException {
        Path file = Path.of(arguments[0]);
        Family family = Family.valueOf(arguments[2]);
        RandomModel spec = spec(family);
        ModelSettings settings = Cpu.with(CacheHits.oneBlock(Cpu.F16), FlashAttention.OFF);
        int[] cuts = Cpu.legalCuts(file);
        List<ComputeDevice> devices = List.of(Cpu.device(), Vulkan.device());
        int cut = cuts[cuts.length / 2];
        String what = spec + " on two devices";
        DiskTierOptions disk = CacheHits.disk(Path.of(arguments[3]));
        try (LoadedModel model = Vulkan.load(file, settings, Optional.of(disk), devices, cut)) {
            if (disk.archive().status().objects() == 0) {
                CacheHits.requireFromHost(spec, seed(family), model, what);
            } else {
                CacheHits.requireFromDisk(spec, seed(family), model, what);
            }
        }
        VulkanLogits.write(Path.of(arguments[1]), new float[1][1]);
    }
}
