package dev.varve.plugin.qwen35;

import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.contracts.ModelFamilyContract;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen35MoeModel;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Dense models with a head of their own and with a tied one, and one with experts. */
class Qwen35ContractTest extends ModelFamilyContract {
    @Override
    protected ModelFamilyProvider provider() {
        return new Qwen35Family();
    }

    @Override
    protected List<Path> models(Path folder) throws IOException {
        return List.of(
                Qwen35Model.tiny().write(folder),
                Qwen35Model.odd(1).withTiedHead(true).write(folder),
                Qwen35MoeModel.tiny().write(folder));
    }
}
