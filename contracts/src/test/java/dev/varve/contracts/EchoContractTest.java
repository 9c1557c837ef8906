package dev.varve.contracts;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.testkit.Qwen35Model;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A speculator that keeps the contract passes it. */
class EchoContractTest extends SpeculatorContract {
    @Override
    protected SpeculatorProvider provider() {
        return new EchoSpeculator.Provider();
    }

    @Override
    protected SpeculationTarget target(Path folder) throws IOException {
        return small(folder);
    }

    /** Of few tokens and narrow states, since nothing computes it. */
    static SpeculationTarget small(Path folder) throws IOException {
        LayerState state = new LayerState.FullAttention(1, 32, 32);
        return new SpeculationTarget(
                GgufFile.open(Qwen35Model.tiny().write(folder)),
                new ModelShape(
                        "qwen35", new ModelShape.Sizes(4, 50, 200), List.of(state, state), 0),
                new SpeculationTarget.Limits(100, 4, 8));
    }
}
