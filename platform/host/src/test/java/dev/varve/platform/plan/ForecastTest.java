package dev.varve.platform.plan;

import dev.varve.testkit.simulation.Scenario;
import dev.varve.testkit.simulation.Seeds;
import dev.varve.testkit.simulation.Simulation;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A forecast differs by at most 20 % from the times of the engine, in simulated time. */
class ForecastTest {
    @ParameterizedTest
    @ValueSource(
            classes = {
                ForecastScenarios.SmallModel.class,
                ForecastScenarios.LargeModel.class,
                ForecastScenarios.UnlikeDevices.class,
                ForecastScenarios.SmallShards.class,
                ForecastScenarios.SharedProcessor.class
            })
    void forecastIsCloseToTheEngine(Class<? extends Scenario> scenario) throws IOException {
        Path folder = Files.createDirectories(Path.of("target", "forecast"));

        Simulation.Trace trace = Seeds.undisturbed(scenario);

        Files.write(folder.resolve(scenario.getSimpleName() + ".txt"), trace.events());
    }
}
