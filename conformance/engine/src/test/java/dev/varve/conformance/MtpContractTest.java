package dev.varve.conformance;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.contracts.SpeculatorContract;
import dev.varve.platform.draft.DflashSpeculator.DflashSettings;
import dev.varve.platform.draft.DflashSpeculator.WeightResidency;
import dev.varve.platform.mtp.MtpFile;
import dev.varve.platform.mtp.MtpSpeculator;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.OpenedModel;

import java.io.IOException;
import java.nio.file.Path;

/** Multi-token prediction behaves as any speculator. */
class MtpContractTest extends SpeculatorContract {
    /** As the host opens it. */
    public static final class Provider implements SpeculatorProvider {
        @Override
        public String name() {
            return "mtp";
        }

        @Override
        public Speculator open(SpeculationTarget target) {
            OpenedModel model = Cpu.open(target.file().path(), ModelOptions.defaults());
            return MtpSpeculator.open(
                    MtpFile.of(
                            target.file(),
                            Cpu.family(target.file()),
                            model,
                            ModelOptions.defaults()),
                    target.limits(),
                    Cpu.device(),
                    new DflashSettings(WeightResidency.PERSISTENT, FlashAttention.AUTO));
        }
    }

    @Override
    protected SpeculatorProvider provider() {
        return new Provider();
    }

    @Override
    protected SpeculationTarget target(Path folder) throws IOException {
        Path file = MtpModels.DENSE.write(folder);
        OpenedModel model = Cpu.open(file, ModelOptions.defaults());
        return new SpeculationTarget(
                GgufFile.open(file), model.shape(), new SpeculationTarget.Limits(300, 4, 5));
    }
}
