package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.plan.CachingProbe.Age;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Preparation makes its checks in a fixed order before it loads anything. It reports to a listener.
 */
class PreparedModelTest {
    @TempDir Path folder;

    private final PlainPlugins plugins = new PlainPlugins();
    private final List<String> heard = new ArrayList<>();

    private final ModelLoadListener listener =
            new ModelLoadListener() {
                @Override
                public void warning(String text) {
                    heard.add("warning " + text);
                }

                @Override
                public void note(String text) {
                    heard.add("note " + text);
                }

                @Override
                public void resolved(PlacementRequest request, Predicate<String> provided) {
                    heard.add(
                            "resolved "
                                    + request.devices()
                                    + (provided.test("cuda") ? " with cuda" : ""));
                }

                @Override
                public void opened(GgufFile file, Tokenizer tokenizer) {
                    heard.add("opened " + file.path().getFileName());
                }

                @Override
                public void planned(SplitMemoryPlan plan, List<String> reasons) {
                    heard.add("planned " + plan.parts().size());
                }
            };

    private HostSettings settings() throws IOException {
        return new HostSettings(
                PlainModel.mixed(256).write(folder),
                ModelSettings.single(256),
                DeviceSettings.best(),
                PluginSettings.of(plugins.catalog(), folder.resolve("cache")),
                ShardProcessSettings.none());
    }

    @Test
    void bestDeviceIsChosenAndReportedBeforeAnythingIsOpened() throws IOException {
        PreparedModel prepared = PreparedModel.open(settings(), listener);

        assertEquals("[cuda:0]", prepared.request().devices().toString());
        assertEquals(List.of("resolved [cuda:0] with cuda"), heard);
        assertEquals(List.of("load cpu", "load cuda"), plugins.asked);
        assertEquals(4, prepared.model().shape().layerCount());
    }

    @Test
    void prefillDrafterIsReadForPromptsOfTheContext() throws IOException {
        Path drafter =
                PlainModel.attentionOnly(2, 4096)
                        .write(Files.createDirectory(folder.resolve("drafter")));
        HostSettings settings =
                settings()
                        .with(
                                CompressionSettings.of(
                                        drafter, ConversationCompressionSettings.USUAL));
        PreparedModel prepared = PreparedModel.open(settings, listener);
        plugins.readings.clear();

        prepared.drafterPlan();

        assertEquals(List.of(ModelOptions.defaults().withContext(256)), plugins.readings);
    }

    @Test
    void missingFileIsReportedBeforePluginsAreLoaded() throws IOException {
        Path missing = folder.resolve("missing.gguf");
        HostSettings settings =
                HostSettings.of(missing, folder.resolve("no plugins"), folder.resolve("cache"));

        VarveException error =
                assertThrows(VarveException.class, () -> PreparedModel.open(settings, listener));

        assertEquals(VarveException.Kind.UNREADABLE_FILE, error.kind());
        assertEquals(List.of(), heard);
    }

    @Test
    void refusedPluginIsAWarningWithItsReason() throws IOException {
        Path jars = Files.createDirectory(folder.resolve("plugins"));
        Files.writeString(jars.resolve("broken.jar"), "no jar");
        HostSettings settings = settings().with(PluginSettings.of(jars, folder.resolve("cache")));

        VarveException error =
                assertThrows(VarveException.class, () -> PreparedModel.open(settings, listener));

        assertEquals(VarveException.Kind.UNSUPPORTED_MODEL, error.kind());
        assertEquals(1, heard.size(), heard.toString());
        assertTrue(
                heard.getFirst().startsWith("warning plugin broken.jar is not used: "),
                heard.toString());
    }

    /** As with a missing device of a backend that exists. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hip:0        | {setting:device}: hip:0: no plugin provides device backend hip",
                "cpu:0,hip:1  | {setting:devices}: hip:1: no plugin provides device backend hip"
            })
    void missingBackendIsUnavailable(String devices, String expected) throws IOException {
        HostSettings settings = settings().onDevices(devices);

        VarveException failure =
                assertThrows(VarveException.class, () -> PreparedModel.open(settings, listener));

        assertTrue(failure.getMessage().startsWith(expected), failure.getMessage());
        assertEquals(VarveException.Kind.UNAVAILABLE, failure.kind());
    }

    @Test
    void invalidDevicesAreRefusedWithTheSetting() throws IOException {
        HostSettings settings = settings().onDevices("auto:0,cuda:0");

        String message =
                assertThrows(
                                IllegalArgumentException.class,
                                () -> PreparedModel.open(settings, listener))
                        .getMessage();

        assertTrue(
                message.startsWith(
                        "{setting:devices}: bad target layer split: auto:0 and cuda:0 are the"
                                + " same"),
                message);
    }

    @Test
    void deviceOfAProcessNeedsNoLocalPlugin() throws IOException {
        PreparedModel prepared =
                PreparedModel.open(settings().onDevices("cpu:0,hip:0@process"), listener);

        assertEquals("[cpu:0, hip:0@process]", prepared.request().devices().toString());
    }

    @Test
    void modelWithoutATokenizerIsRefusedBeforeADeviceIsOpened() throws IOException {
        PreparedModel prepared = PreparedModel.open(settings().onDevices("cpu:0,cpu:0"), listener);

        assertThrows(VarveException.class, prepared::load);

        assertEquals(List.of(), plugins.asked, "no backend was loaded");
    }

    @Test
    void automaticSplitMeasuresEachDeviceAndReportsIt() throws IOException {
        PreparedModel prepared =
                PreparedModel.open(
                        settings().onDevices("cpu:0,cpu:1", new SplitRule.Automatic()), listener);

        VarveException error = assertThrows(VarveException.class, () -> prepared.forecast(Age.ANY));

        assertEquals("cpu:0 cannot compute", error.getMessage());
        assertEquals(List.of("load cpu", "open cpu:0 OptionalInt.empty"), plugins.asked);
    }

    @Test
    void threadCountReachesTheDevice() throws IOException {
        HostSettings settings = settings().onDevices("cpu:1,cpu:1", new SplitRule.Automatic());
        PreparedModel prepared =
                PreparedModel.open(settings.with(settings.devices().withThreads(3)), listener);

        assertThrows(VarveException.class, () -> prepared.forecast(Age.NEW));

        assertEquals("open cpu:1 OptionalInt[3]", plugins.asked.getLast());
    }

    @Test
    void withoutALauncherNoProcessIsStarted() throws IOException {
        PreparedModel prepared =
                PreparedModel.open(settings().onDevices("cpu:0,hip:0@process"), listener);

        try (PlacedShardFactory shards = prepared.shards()) {
            VarveException error =
                    assertThrows(
                            VarveException.class,
                            () -> shards.info(prepared.request().devices().getLast()));

            assertTrue(
                    error.getMessage()
                            .startsWith(Setting.SHARD_LAUNCHER + " is required to start shard"),
                    error.getMessage());
        }
    }

    @Test
    void processIsStartedWithDeviceModelAndAddress() throws IOException {
        Path arguments = folder.resolve("arguments");
        Path launcher =
                Files.writeString(
                        folder.resolve("launcher"),
                        "#!/bin/sh\nfor word in \"$@\"; do echo \"$word\"; done > '"
                                + arguments
                                + "'\nexit 3\n");
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
        HostSettings settings =
                settings()
                        .onDevices("cpu:0,hip:1@process")
                        .with(ShardProcessSettings.launchedBy(launcher));
        PreparedModel prepared = PreparedModel.open(settings, listener);

        try (PlacedShardFactory shards = prepared.shards()) {
            assertThrows(
                    VarveException.class,
                    () -> shards.info(prepared.request().devices().getLast()));
        }

        List<String> given = Files.readAllLines(arguments);
        assertEquals(
                List.of("shard", "--device", "hip:1", "--model", settings.file().toString()),
                given.subList(0, 5));
        assertTrue(given.contains("--supervised") && given.contains("--listen"), given.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu:0@unix:/nowhere/a.sock", "cuda:1@acme:somewhere"})
    void listeningProcessReportsItsDevice(String device) throws IOException {
        PreparedModel prepared =
                PreparedModel.open(settings().onDevices("cpu:0," + device), listener);

        try (PlacedShardFactory shards = prepared.shards()) {
            VarveException error =
                    assertThrows(
                            VarveException.class,
                            () -> shards.info(prepared.request().devices().getLast()));

            assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        }
    }
}
