package dev.varve.plugin.qwen3;

import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.contracts.ModelFamilyContract;
import dev.varve.testkit.Qwen3Model;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Tied and separate heads, fused projections, biases, and scaled positions. */
class Qwen3ContractTest extends ModelFamilyContract {
    @Override
    protected ModelFamilyProvider provider() {
        return new Qwen3Family();
    }

    @Override
    protected List<Path> models(Path folder) throws IOException {
        return List.of(
                Qwen3Model.tiny().write(folder),
                Qwen3Model.odd(1).write(folder),
                Qwen3Model.odd(2).withTiedHead(false).write(folder),
                Qwen3Model.odd(3).write(folder));
    }
}
