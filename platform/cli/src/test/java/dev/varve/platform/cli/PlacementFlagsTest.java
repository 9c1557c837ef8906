package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PeerAccess;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

class PlacementFlagsTest {
    private static PlacementRequest read(String flags) {
        return read(flags.isBlank() ? new String[0] : flags.strip().split("\\s+"));
    }

    private static PlacementRequest read(String... flags) {
        PlacementArguments parsed = new PlacementArguments();
        parse(parsed, flags);
        return parsed.request();
    }

    private static void parse(Object options, String... flags) {
        new CommandLine(
                        CommandSpec.create()
                                .addMixin("options", CommandSpec.forAnnotatedObject(options)))
                .parseArgs(flags);
    }

    private static String resolved(String flags, String best) {
        return read(flags).resolve(() -> best).devices().stream()
                .map(DeviceReference::toString)
                .collect(Collectors.joining(","));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cuda:0",
                "cuda:0,cuda:1",
                "cuda:0,hip:1",
                "cuda:0,hip:0,hip:1",
                "cpu:0,cpu:0",
                "cuda:0,hip:0,cuda:1",
                "vulkan:0@process,cpu:0",
                "cpu:0@unix:/run/a@b.sock,cuda:2147483647@grpc:gpubox:7700,npu2:0@process"
            })
    void devicesAreAcceptedInAnyOrderAndNumber(String list) {
        assertEquals(list, resolved("--target-devices=" + list, "cpu"));
    }

    @Test
    void rulesForExpertsAreThoseForNamesThenLayersThenAll() {
        List<String> rules = new ArrayList<>();
        read("--cpu-moe --expert-device=cuda:1=4 -ncmoe 2 -ot a=CPU,b=CUDA1"
                        + " --override-tensor=c=cpu:0")
                .tensors()
                .rules()
                .forEach(
                        rule ->
                                rules.add(
                                        FlagNames.FLAGS.of(rule.setting()) + " " + rule.device()));

        assertEquals(
                List.of(
                        "--override-tensor cpu:0",
                        "--override-tensor cuda:1",
                        "--override-tensor cpu:0",
                        "--n-cpu-moe cpu:0",
                        "--expert-device cuda:1",
                        "--cpu-moe cpu:0"),
                rules);
        assertTrue(read("--n-cpu-moe 0").tensors().isEmpty());
        assertEquals(read("--cpu-moe").tensors(), read("-cmoe").tensors());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--override-tensor=ffn(=cpu:0 | --override-tensor: ffn(: Unclosed group",
                "--override-tensor=ffn        | --override-tensor: expected REGEX=DEVICE",
                "--expert-device=gpu:x        | --expert-device: expected a backend",
                "--expert-device=cpu:0=0      | --expert-device: cpu:0=0: expected a number of",
                "--n-cpu-moe=-1               | --n-cpu-moe: expected 0 or more, found -1",
            })
    void malformedRulesForExpertsNameTheFlag(String flags, String expected) {
        String message =
                assertThrows(IllegalArgumentException.class, () -> read(flags)).getMessage();

        assertTrue(message.startsWith(expected), message);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "-, true",
                "--target-device=cuda:0, true",
                "--fit=OFF, false",
                "--cpu-moe, false",
                "--n-cpu-moe=4, false",
                "--cpu-moe --fit=ON, true",
                "--target-devices=cuda:0;cpu:0, false",
                "--target-devices=cuda:0;cpu:0 --fit=ON, true"
            })
    void modelIsFittedUnlessItsPlaceIsGiven(String flags, boolean expected) {
        PlacementArguments parsed = new PlacementArguments();
        parse(parsed, flags == null ? new String[0] : flags.replace(';', ',').split(" "));

        assertEquals(expected, parsed.fits(true));
    }

    @Test
    void modelIsNotFittedIfTheLayoutOfItsWeightsIsGiven() {
        assertFalse(new PlacementArguments().fits(false));
    }

    @Test
    void automaticSplitHasRulesForExperts() {
        PlacementRequest request =
                read("--target-devices=a:0,b:0 --target-layer-split=auto --cpu-moe");

        assertEquals(new SplitRule.Automatic(), request.split());
        assertEquals(1, request.tensors().rules().size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "cpu:0,",
                ",cpu:0",
                "cpu:0,,cpu:0",
                "cpu",
                "cpu:0,cpu",
                ":0",
                "cpu:",
                "CPU:0",
                "cpu:-1",
                "cpu:+1",
                "cpu: 1",
                "cpu:1x",
                "cpu:0x1",
                "cpu:1:2",
                "cpu:2147483648",
                "cpu:99999999999999999999",
                "cpu:٣",
                "cpu:0@",
                "cpu:0@here",
                "cpu:0@process:1",
                "cpu:0@unix:",
                "cpu:0@:7700",
                "auto:0@unix:/run/a.sock",
                " cpu:0",
                "cpu:0 "
            })
    void malformedDeviceListsNameTheFlag(String list) {
        String message =
                assertThrows(
                                IllegalArgumentException.class,
                                () -> read(new String[] {"--target-devices=" + list}))
                        .getMessage();

        assertTrue(message.startsWith("--target-devices: "), message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--target-device=cpu:0 --target-devices=cpu:0 | --target-devices: cannot be",
                "--target-device=cpu:x                        | --target-device: expected a"
                        + " backend",
                "--target-device=cpu:0,cpu:1                  | --target-device: expected a"
                        + " backend",
                "--target-device=cpu:0 --target-layer-split=1 | --target-layer-split: needs two",
                "--target-layer-split=1,1                     | --target-layer-split: needs two",
                "--target-layer-split=auto                    | --target-layer-split: needs two",
                "--target-devices=a:0,b:0 --target-layer-split=1     | bad target layer split",
                "--target-devices=a:0,b:0 --target-layer-split=1,1,1 | bad target layer split",
                "--target-devices=a:0,b:0 --target-layer-split=1,0   | above 0, found 0",
                "--target-devices=a:0,b:0 --target-layer-split=1,-1  | above 0, found -1",
                "--target-devices=a:0,b:0 --target-layer-split=1,1e999 | finite weights",
                "--target-devices=a:0,b:0 --target-layer-split=1,NaN | expected auto, or numbers",
                "--target-devices=a:0,b:0 --target-layer-split=      | found nothing",
                "--target-devices=a:0,b:0 --target-layer-split=1,    | expected auto, or numbers",
                "--target-devices=a:0,b:0 --target-layer-split=,1    | expected auto, or numbers",
                "--target-devices=a:0,b:0 --target-layer-split=1,,1  | expected auto, or numbers",
                "--target-devices=a:0,b:0 --target-layer-split=1,1x  | expected auto, or numbers",
                "--target-devices=a:0,b:0 --target-layer-split=1,1f  | expected auto, or numbers",
                "--target-devices=a:0,b:0 --target-layer-split=1,0x1p3 | expected auto, or numbers",
                "--target-shard-ipc-bin=varve                 | --target-shard-ipc-bin: no device",
                "--target-device=cpu:0 --target-shard-ipc-bin=varve | --target-shard-ipc-bin: no",
                "--target-devices=a:0@unix:/a,b:0 --target-shard-ipc-bin=varve |"
                        + " --target-shard-ipc-bin: no",
                "--target-devices=a:0,b:0 --target-shard-ipc-work-dir=w |"
                        + " --target-shard-ipc-work-dir: needs",
                "--target-devices=a:0,b:0 --target-shard-ipc-bin= | --target-shard-ipc-bin:"
                        + " expected a path",
                "--target-device=cpu:0 --peer-access          | --peer-access: has no effect",
                "--target-devices=cpu:0,cpu:0 --peer-access   | --peer-access: has no effect",
                "--target-devices=cuda:0,hip:1 --peer-access  | --peer-access: has no effect",
                "--target-devices=cuda:0,cuda:1@process --peer-access | --peer-access: has no"
                        + " effect",
            })
    void contradictionsAreRefusedWithFlagAndReason(String flags, String expected) {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> read(flags));

        String message = FlagNames.FLAGS.render(refusal.getMessage());
        assertTrue(message.startsWith("--"), message);
        assertTrue(message.contains(expected), message);
    }

    @Test
    void splitMayPrecedeItsDevices() {
        PlacementRequest request =
                read("--target-layer-split=0.08,0.46,.46 --target-devices=cuda:0,hip:0,hip:1");

        assertEquals(new SplitRule.Weights(List.of(0.08, 0.46, 0.46)), request.split());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cuda:0,cuda:1,hip:0,hip:1 | cuda:0,cuda:1,hip:0@process,hip:1@process",
                "cuda:0,cuda:1,cuda:2      | cuda:0,cuda:1@process,cuda:2@process",
                "cuda:0,hip:0,cuda:1       | cuda:0,hip:0@process,cuda:1",
                "auto:0,cpu:0              | hip:0,cpu:0@process",
                "auto:0,auto:1             | hip:0,hip:1@process",
                "cpu:0@process,cpu:0       | cpu:0@process,cpu:0",
            })
    void launcherDeterminesWhichDevicesUseProcesses(String list, String expected) {
        assertEquals(
                expected, resolved("--target-shard-ipc-bin=varve --target-devices=" + list, "hip"));
    }

    @Test
    void withoutFlagsTheBestBackendIsUsed() {
        assertEquals("vulkan:0", read("").resolve(() -> "vulkan").primary().toString());
        assertEquals("cpu:0", resolved("--target-device=cpu", "vulkan"));
    }

    @Test
    void repeatedDeviceMustBeWrittenOut() {
        PlacementRequest request = read("--target-devices=auto:0,cpu:0");

        String message =
                assertThrows(IllegalArgumentException.class, () -> request.resolve(() -> "cpu"))
                        .getMessage();

        assertTrue(message.contains("write cpu:0 twice"), message);
        assertEquals("cpu:0,cpu:0", resolved("--target-devices=auto:0,auto:0", "cpu"));
    }

    @Test
    void peersAreResolvedOnceTheBackendsAreKnown() {
        PlacementRequest request = read("--target-devices=auto:0,cuda:1 --peer-access");

        assertEquals(PeerAccess.DIRECT, request.resolve(() -> "cuda").peerAccess());
        assertThrows(IllegalArgumentException.class, () -> request.resolve(() -> "hip"));
    }

    private static void readDraft(String device, boolean bin, boolean folder, Integer ring) {
        List<String> flags = new ArrayList<>(List.of("--draft=draft.gguf"));
        Optional.ofNullable(device).ifPresent(name -> flags.add("--draft-device=" + name));
        Optional.ofNullable(ring).ifPresent(count -> flags.add("--draft-ipc-ring-cap=" + count));
        if (bin) {
            flags.add("--draft-ipc-bin=varve");
        }
        if (folder) {
            flags.add("--draft-ipc-work-dir=w");
        }
        DraftArguments parsed = new DraftArguments();
        parse(parsed, flags.toArray(String[]::new));
        parsed.settings(read("--target-device=cuda:0"), Optional.empty(), false);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "hip:0, false, true, -, --draft-ipc-work-dir",
                "hip:0, false, false, 64, --draft-ipc-ring-cap",
                "hip:0, true, false, 0, --draft-ipc-ring-cap",
                "hip:0, true, false, -5, --draft-ipc-ring-cap",
                "cuda:1, true, false, -, --draft-ipc-bin",
                "auto:0, true, false, -, --draft-ipc-bin",
                "-, true, false, -, --draft-ipc-bin",
                "hip:x, true, false, -, --draft-device",
            })
    void contradictoryDraftFlagsAreRefused(
            String device, boolean bin, boolean folder, Integer ring, String flag) {

        String message =
                assertThrows(
                                IllegalArgumentException.class,
                                () -> readDraft(device, bin, folder, ring))
                        .getMessage();

        assertTrue(message.startsWith(flag + ": "), message);
    }

    @Test
    void draftOnAnotherBackendMayUseAProcess() {
        readDraft("hip:0", true, true, 4096);
    }

    @Test
    void draftOnAnUnknownBackendIsRefused() {
        DraftArguments flags = new DraftArguments();
        parse(flags, "--draft=draft.gguf", "--draft-device=hip:0");
        PlacementRequest target = read("--target-device=cuda:0");

        flags.requireProvided(target, "hip"::equals);
        String message =
                assertThrows(
                                VarveException.class,
                                () -> flags.requireProvided(target, "cpu"::equals))
                        .getMessage();

        assertTrue(message.startsWith("--draft-device: no plugin provides"), message);
    }
}
