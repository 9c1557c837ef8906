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
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** An assistant behaves as any speculator. */
class AssistantContractTest extends SpeculatorContract {
    /** As the host opens it. */
    public static final class Provider implements SpeculatorProvider {
        @Override
        public String name() {
            return "assistant";
        }

        private static MtpFile block(Path folder) {
            try {
                return AssistantModels.SHARED_ROWS.block(folder);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public Speculator open(SpeculationTarget target) {
            return MtpSpeculator.open(
                    block(target.file().path().getParent()),
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
        Path file = AssistantModels.SHARED_ROWS.write(folder);
        OpenedModel model = Cpu.open(file, ModelOptions.defaults());
        return new SpeculationTarget(
                GgufFile.open(file), model.shape(), new SpeculationTarget.Limits(300, 4, 5));
    }
}
