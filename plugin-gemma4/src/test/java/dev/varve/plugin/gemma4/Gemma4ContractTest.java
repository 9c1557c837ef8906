package dev.varve.plugin.gemma4;

import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.contracts.ModelFamilyContract;
import dev.varve.testkit.Gemma4Model;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** With and without shared rows, per-layer embeddings and experts. */
class Gemma4ContractTest extends ModelFamilyContract {
    @Override
    protected ModelFamilyProvider provider() {
        return new Gemma4Family();
    }

    @Override
    protected List<Path> models(Path folder) throws IOException {
        return List.of(
                Gemma4Model.tiny().write(folder),
                Gemma4Model.odd(3).write(folder),
                Gemma4Model.odd(8).write(folder));
    }
}
