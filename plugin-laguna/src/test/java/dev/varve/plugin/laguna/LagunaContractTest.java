package dev.varve.plugin.laguna;

import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.contracts.ModelFamilyContract;
import dev.varve.testkit.LagunaModel;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** With and without windows, experts and a tied head. */
class LagunaContractTest extends ModelFamilyContract {
    @Override
    protected ModelFamilyProvider provider() {
        return new LagunaFamily();
    }

    @Override
    protected List<Path> models(Path folder) throws IOException {
        return List.of(
                LagunaModel.tiny().write(folder),
                LagunaModel.odd(1).write(folder),
                LagunaModel.odd(4).withTiedHead(true).write(folder));
    }
}
