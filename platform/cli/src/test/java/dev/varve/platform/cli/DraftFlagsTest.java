package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.DraftPlacement;
import dev.varve.platform.host.DraftSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.speculation.TreeOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** The flags of speculation, as on a command line. */
class DraftFlagsTest {
    private static final Set<String> PROVIDED = Set.of("cpu", "cuda");

    @Test
    void bundledSpeculatorIsUsedByDefault() {
        Optional<Path> usual = Optional.of(Path.of("usual.gguf"));
        assertEquals(
                "usual.gguf",
                parse("").settings(target("cpu:0"), usual, false).orElseThrow().source());
        assertEquals(
                3,
                parse("--draft-max 3")
                        .settings(target("cpu:0"), usual, false)
                        .orElseThrow()
                        .most()
                        .orElseThrow());
        assertEquals(
                "ngram",
                parse("--draft ngram")
                        .settings(target("cpu:0"), usual, false)
                        .orElseThrow()
                        .source());
        assertTrue(parse("--draft off").settings(target("cpu:0"), usual, false).isEmpty());
        assertTrue(parse("").settings(target("cpu:0"), Optional.empty(), false).isEmpty());
    }

    private static DraftArguments parse(String flags) {
        DraftArguments parsed = new DraftArguments();
        new CommandLine(
                        CommandSpec.create()
                                .addMixin("draft", CommandSpec.forAnnotatedObject(parsed)))
                .parseArgs(flags.isBlank() ? new String[0] : flags.strip().split("\\s+"));
        return parsed;
    }

    private static PlacementRequest target(String device) {
        return PlacementRequest.single(DeviceReference.parse(device));
    }

    /**
     * Reads them for a model on the processor, as a command does before and after it has plugins.
     */
    private static Optional<DraftSettings> read(String flags) {
        return read(flags, "cpu:0");
    }

    private static Optional<DraftSettings> read(String flags, String target) {
        DraftArguments parsed = parse(flags);
        Optional<DraftSettings> settings = parsed.settings(target(target), Optional.empty(), false);
        parsed.requireProvided(target(target), PROVIDED::contains);
        return settings;
    }

    private static String refusal(String flags, String target) {
        return assertThrows(IllegalArgumentException.class, () -> read(flags, target), flags)
                .getMessage();
    }

    @Test
    void nothingIsDraftedWithoutFlags() {
        assertEquals(Optional.empty(), read(""));
        assertEquals(Optional.empty(), read("--draft off"));
        assertEquals(Optional.empty(), read("--draft=off"));
    }

    @Test
    void fileNameIsEnough() {
        assertEquals(Optional.of(DraftSettings.of("ngram")), read("--draft ngram"));
        assertEquals(Optional.of(DraftSettings.of("a/b.gguf")), read("--draft a/b.gguf"));
    }

    @Test
    void allFlagsAreAccepted() {
        assertEquals(
                Optional.of(
                        new DraftSettings(
                                "some",
                                OptionalInt.of(7),
                                OptionalInt.of(3),
                                TreeOptions.OFF,
                                new DraftPlacement(
                                        Optional.of("cuda:0"),
                                        DraftPlacement.Residency.REQUEST_SCOPED,
                                        Optional.empty(),
                                        Optional.empty(),
                                        OptionalInt.empty()))),
                read(
                        "--draft some --draft-device cuda:0 --draft-max 7 --draft-width 3"
                                + " --draft-residency request-scoped"));
    }

    @Test
    void treesHaveAModeAndANumber() {
        assertEquals(new TreeOptions(22, false), trees("--ddtree"));
        assertEquals(new TreeOptions(22, false), trees("--ddtree=auto --draft-width auto"));
        assertEquals(new TreeOptions(40, true), trees("--ddtree always --ddtree-budget 40"));
        assertEquals(TreeOptions.OFF, trees("--ddtree off"));
        assertEquals(TreeOptions.OFF, trees(""));
    }

    private static TreeOptions trees(String flags) {
        return read("--draft some.gguf " + flags).orElseThrow().trees();
    }

    @Test
    void automaticWidthIsNoNumber() {
        assertEquals(
                OptionalInt.empty(),
                read("--draft ngram --draft-width auto").orElseThrow().width());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, DraftSettings.MOST})
    void numbersUpToTheLimitAreAccepted(int tokens) {
        DraftSettings settings =
                read("--draft ngram --draft-max " + tokens + " --draft-width " + tokens)
                        .orElseThrow();

        assertEquals(OptionalInt.of(tokens), settings.most());
        assertEquals(OptionalInt.of(tokens), settings.width());
    }

    @ParameterizedTest
    @CsvSource({
        "auto, AUTO",
        "persistent, PERSISTENT",
        "request-scoped, REQUEST_SCOPED",
    })
    void residencyModesAreWords(String word, DraftPlacement.Residency expected) {
        assertEquals(
                expected,
                read("--draft x --draft-residency " + word).orElseThrow().placement().residency());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--draft-max 0 | --draft-max: expected 1 to 63, found 0",
                "--draft-max -1 | --draft-max: expected 1 to 63, found -1",
                "--draft-max 64 | --draft-max: expected 1 to 63, found 64",
                "--draft-width 0 | --draft-width: expected auto or 1 to 63, found 0",
                "--draft-width 64 | --draft-width: expected auto or 1 to 63, found 64",
                "--draft-width many | --draft-width: expected auto or 1 to 63, found many",
                "--draft-width 1.5 | --draft-width: expected auto or 1 to 63, found 1.5",
                "--draft-width AUTO | --draft-width: expected auto or 1 to 63, found AUTO",
                "--draft-width 99999999999 | --draft-width: expected auto or 1 to 63, found"
                        + " 99999999999",
                "--ddtree sometimes | --ddtree: expected auto, always or off, found sometimes",
                "--ddtree --ddtree-budget 0 | --ddtree-budget: expected 1 to 63, found 0",
                "--ddtree --ddtree-budget 64 | --ddtree-budget: expected 1 to 63, found 64",
                "--ddtree-budget 9 | --ddtree-budget: needs --ddtree",
                "--ddtree --draft-width 7 | --draft-width: expected auto with --ddtree, which"
                        + " verifies all draft tokens of a tree, found 7",
                "--draft-width 8 --draft-max 7 | --draft-width: expected auto or at most 7, as"
                        + " --draft-max requires, found 8",
                "--draft-residency forever | --draft-residency: expected auto, persistent or"
                        + " request-scoped, found forever",
                "--draft-residency request_scoped | --draft-residency: expected auto, persistent"
                        + " or request-scoped, found request_scoped",
                "--draft-device CPU:0 | --draft-device: expected a backend and a number, such as"
                        + " cpu:0, found CPU:0",
                "--draft-device cpu:x | --draft-device: expected a backend and a number, such as"
                        + " cpu:0, found cpu:x",
                "--draft-ipc-ring-cap 0 --draft-ipc-bin x --draft-device hip:0 |"
                        + " --draft-ipc-ring-cap: expected 1 to 1048576, found 0",
                "--draft-ipc-ring-cap 1048577 --draft-ipc-bin x --draft-device hip:0 |"
                        + " --draft-ipc-ring-cap: expected 1 to 1048576, found 1048577",
                "--draft-ipc-ring-cap 8 | --draft-ipc-ring-cap: needs --draft-ipc-bin or a"
                        + " --draft-device in another process, such as cpu:0@process",
                "--draft-ipc-work-dir w | --draft-ipc-work-dir: needs --draft-ipc-bin or a"
                        + " --draft-device in another process, such as cpu:0@process",
                "--draft-ipc-bin x | --draft-ipc-bin: only needed for mixed backends, but draft and"
                        + " target are both on cpu",
                "--draft-ipc-bin x --draft-device cpu:1 | --draft-ipc-bin: only needed for mixed"
                        + " backends, but draft and target are both on cpu",
            })
    void invalidFlagIsRefusedWithTheReason(String flags, String expected) {
        assertEquals(expected, refusal("--draft some " + flags, "cpu:0"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--draft-max 3 | --draft-max",
                "--draft-width 3 | --draft-width",
                "--ddtree always | --ddtree",
                "--draft-width auto | --draft-width",
                "--draft-residency auto | --draft-residency",
                "--draft-device cuda:0 | --draft-device",
                "--draft-ipc-bin x --draft-device hip:0 | --draft-device",
                "--draft-ipc-bin x | --draft-ipc-bin",
            })
    void draftFlagsAreRefusedWithoutASpeculator(String flags, String named) {
        assertEquals(
                named + ": needs --draft; without it there are no draft tokens",
                refusal(flags, "cpu:0"));
        assertEquals(
                named + ": needs --draft, which is off; without it there are no draft tokens",
                refusal("--draft off " + flags, "cpu:0"));
    }

    /** As with a missing device, which is no wrong usage. */
    @Test
    void missingBackendIsUnavailable() {
        VarveException failure =
                assertThrows(
                        VarveException.class,
                        () -> read("--draft some --draft-device hip:0", "cpu:0"));

        assertEquals(VarveException.Kind.UNAVAILABLE, failure.kind());
        assertEquals(
                "--draft-device: no plugin provides device backend hip, and --draft-ipc-bin is not"
                        + " set",
                failure.getMessage());
        assertEquals(ExitStatus.FAILURE, ExitStatus.of(failure, failure.getMessage()));
    }

    @Test
    void launcherPermitsAnyBackend() {
        DraftArguments parsed =
                parse(
                        "--draft some --draft-device hip:0 --draft-ipc-bin x"
                                + " --draft-ipc-work-dir w --draft-ipc-ring-cap 8");

        DraftSettings settings =
                parsed.settings(target("cpu:0"), Optional.empty(), false).orElseThrow();
        assertEquals(
                new DraftPlacement(
                        Optional.of("hip:0"),
                        DraftPlacement.Residency.AUTO,
                        Optional.of(Path.of("x")),
                        Optional.of(Path.of("w")),
                        OptionalInt.of(8)),
                settings.placement());
        parsed.requireProvided(target("cpu:0"), PROVIDED::contains);
    }

    @Test
    void deviceOfAnotherProcessNeedsNoLocalPlugin() {
        DraftArguments parsed =
                parse("--draft some --draft-device hip:0@process --draft-ipc-ring-cap 8");

        parsed.requireProvided(target("cpu:0"), PROVIDED::contains);
        assertEquals(
                Optional.of("hip:0@process"),
                parsed.settings(target("cpu:0"), Optional.empty(), false)
                        .orElseThrow()
                        .placement()
                        .device());
    }

    /** Before the target's backend is chosen nobody knows whether they are the same. */
    @Test
    void automaticTargetIsCheckedOnceResolved() {
        DraftArguments parsed = parse("--draft some --draft-device cuda:0 --draft-ipc-bin x");

        assertEquals(
                Optional.of("cuda:0"),
                parsed.settings(target("auto:0"), Optional.empty(), false)
                        .orElseThrow()
                        .placement()
                        .device());
        assertEquals(
                "--draft-ipc-bin: only needed for mixed backends, but draft and target are both on"
                        + " cuda",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> parsed.requireProvided(target("cuda:1"), PROVIDED::contains))
                        .getMessage());
    }

    /** The settings, with the placement, of the model that reads prompts. */
    private static CompressionSettings reader(String flags) {
        DraftArguments parsed = parse(flags);
        parsed.settings(target("cpu:0"), Optional.empty(), true);
        parsed.requireProvided(target("cpu:0"), PROVIDED::contains);
        return CompressionSettings.of(Path.of("small.gguf"), ConversationCompressionSettings.USUAL)
                .with(parsed.placement());
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu:0@process", "cpu:0@unix:/tmp/x", "cuda:0@grpc:box:7700", "cuda:0"})
    void drafterAcceptsTheDevicesOfADraftModel(String device) {
        for (String draft : List.of("", "--draft off ", "--draft some ")) {
            CompressionSettings found =
                    reader(draft + "--draft-device " + device + " --draft-residency persistent");

            assertEquals(
                    new DraftPlacement(
                            Optional.of(device),
                            DraftPlacement.Residency.PERSISTENT,
                            Optional.empty(),
                            Optional.empty(),
                            OptionalInt.empty()),
                    found.placement());
        }
    }

    @Test
    void launcherIsAcceptedForADrafterToo() {
        CompressionSettings found =
                reader("--draft-device hip:0 --draft-ipc-bin x --draft-ipc-work-dir w");

        assertEquals(
                new DraftPlacement(
                        Optional.of("hip:0"),
                        DraftPlacement.Residency.AUTO,
                        Optional.of(Path.of("x")),
                        Optional.of(Path.of("w")),
                        OptionalInt.empty()),
                found.placement());
    }
}
