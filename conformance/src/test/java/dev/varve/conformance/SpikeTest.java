package dev.varve.conformance;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.testkit.*;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import java.nio.file.Path;
import java.util.*;
class SpikeTest {
    @TempDir Path folder;
    void run(String name, LagunaModel m) throws Exception {
        Path file = m.write(folder);
        int[] tokens = m.randomTokens(130, 3);
        float[][] expected, actual;
        try (Oracle oracle = Oracle.open(file, OracleOptions.defaults().withContext(1024).withThreads(2))) { expected = oracle.logits(tokens); }
        try (LoadedModel model = Cpu.load(file, Cpu.settings(1024, 1, Cpu.F16))) { actual = Cpu.logits(model, tokens); }
        double[] r = Comparison.relativeL2(expected, actual);
        int first = 0; while (first < r.length && r[first] == 0) first++;
        System.out.println("SPIKE " + name + " " + Comparison.worstRelativeL2(expected, actual) + " first " + first);
    }
    @Test void spike() throws Exception {
        LagunaModel m = LagunaModel.odd(7);
        run("7", m);
        var r = m.rope();
        var a = m.attention();
        run("perhead", m.withAttention(new LagunaModel.Attention(a.heads(), a.kvHeads(), a.headDim(), false, false)));
        run("dim64", m.withRope(new LagunaModel.Rope(32, OptionalInt.of(64), r.base(), r.windowBase(), r.yarn())).withAttention(new LagunaModel.Attention(a.heads(), a.kvHeads(), 64, true, false)));
        run("flags2", m.withWindow(new LagunaModel.Window(78, new LagunaModel.Pattern.Flags(List.of(false,true,true,false,true,false,false)))).withAttention(new LagunaModel.Attention(List.of(2,4,4,2,4,2,2), a.kvHeads(), a.headDim(), true, false)));
        run("sameheads", m.withAttention(new LagunaModel.Attention(List.of(4), a.kvHeads(), a.headDim(), true, false)));
        run("fulldims", m.withRope(new LagunaModel.Rope(96, OptionalInt.of(96), r.base(), r.windowBase(), r.yarn())));
        run("standard", m.withWindow(new LagunaModel.Window(78, new LagunaModel.Pattern.Standard())).withAttention(new LagunaModel.Attention(List.of(2,4,4,4,2,4,4), a.kvHeads(), a.headDim(), true, false)));
    }
}
