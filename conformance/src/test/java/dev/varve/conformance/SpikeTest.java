package dev.varve.conformance;

import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.testkit.*;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class SpikeTest {
    @TempDir Path folder;

    @Test
    void spike() throws Exception {
        TensorType[] types = {
            TensorType.F32, TensorType.F16, TensorType.Q8_0, TensorType.Q4_0, TensorType.Q4_K
        };
        for (RandomModel.Family family : RandomModel.Family.values()) {
            if (System.getProperty("fam") != null
                    && !System.getProperty("fam").contains(family.name())) continue;
            for (int seed = 0; seed < 16; seed++) {
                TensorType type = types[seed % types.length];
                try {
                    RandomModel spec = family.odd(seed, type);
                    Path file = spec.write(folder);
                    int[] tokens = spec.tokens(530 + seed, seed);
                    for (CacheTypes cache : new CacheTypes[] {Cpu.F16, Cpu.Q8_0}) {
                        if (cache.equals(Cpu.Q8_0) && spec.toString().contains("headDim=48"))
                            continue;
                        float[][] expected;
                        TensorType t = cache.equals(Cpu.F16) ? TensorType.F16 : TensorType.Q8_0;
                        try (Oracle oracle =
                                Oracle.open(
                                        file,
                                        OracleOptions.defaults()
                                                .withContext(1024)
                                                .withThreads(2)
                                                .withCache(t))) {
                            expected = oracle.logits(tokens);
                        }
                        float[][] actual;
                        try (LoadedModel model = Cpu.load(file, Cpu.settings(1024, 1, cache))) {
                            actual = Cpu.logits(model, tokens);
                        }
                        System.out.println(
                                "SPIKE "
                                        + family
                                        + " "
                                        + seed
                                        + " "
                                        + type
                                        + " "
                                        + cache
                                        + " "
                                        + Comparison.worstRelativeL2(expected, actual));
                    }
                } catch (Throwable e) {
                    System.out.println(
                            "SPIKE "
                                    + family
                                    + " "
                                    + seed
                                    + " "
                                    + type
                                    + " FAIL "
                                    + e
                                    + " "
                                    + (e.getStackTrace().length > 0 ? e.getStackTrace()[0] : ""));
                }
            }
        }
    }
}
