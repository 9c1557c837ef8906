package dev.varve.platform.engine;

import dev.varve.testkit.simulation.Scenario;
import dev.varve.testkit.simulation.Seeds;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** See {@link PipelineThroughput}. Writes the rates to {@code target/throughput}. */
class PipelineThroughputTest {
    @ParameterizedTest
    @ValueSource(
            classes = {
                PipelineThroughput.Decode.class,
                PipelineThroughput.DecodeOfWeights.class,
                PipelineThroughput.DecodeOfOtherSplits.class,
                PipelineThroughput.SharedProcessors.class,
                PipelineThroughput.Prefill.class,
                PipelineThroughput.Mixed.class
            })
    void devicesComputeAtTheSameTime(Class<? extends Scenario> scenario) throws IOException {
        Path folder = Files.createDirectories(Path.of("target", "throughput"));

        Files.write(
                folder.resolve(scenario.getSimpleName() + ".txt"),
                Seeds.undisturbed(scenario).events());
    }
}
