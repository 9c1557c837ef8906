package dev.varve.plugin.decoders;

import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.contracts.ModelFamilyContract;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.Effort;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One model of each layout that these families run, by day of every second one: {@code conformance}
 * loads the others in each build.
 */
class DecoderContractTest extends ModelFamilyContract {
    @Override
    protected ModelFamilyProvider provider() {
        return new DecoderFamilies();
    }

    @Override
    protected List<Path> models(Path folder) throws IOException {
        List<Path> models = new ArrayList<>();
        for (DecoderLayout layout : DecoderLayout.values()) {
            if ((Effort.isFull() || layout.ordinal() % 2 == 0)
                    && provider().architectures().contains(layout.architecture())
                    && layout != DecoderLayout.DEEPSEEK2_LITE) {
                models.add(new DecoderModel(layout, 1, TensorType.F32).write(folder));
            }
        }
        return models;
    }
}
