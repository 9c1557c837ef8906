package dev.varve.platform.speculation;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.contracts.SpeculatorContract;
import dev.varve.platform.shard.PlainModel;

import java.io.IOException;
import java.nio.file.Path;

class NgramContractTest extends SpeculatorContract {
    @Override
    protected SpeculatorProvider provider() {
        return new NgramProvider();
    }

    /** A context that the tables grow in. */
    @Override
    protected SpeculationTarget target(Path folder) throws IOException {
        PlainModel model = PlainModel.mixed(1024);
        return new SpeculationTarget(
                GgufFile.open(model.write(folder)),
                model.shape(),
                new SpeculationTarget.Limits(1024, 4, 15));
    }
}
