package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.RequestedPaging;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The flags of a bounded attention cache, as on a command line, and the variables behind them. */
class PagingFlagsTest {
    private final Map<String, String> variables = new HashMap<>();
    private final List<String> warnings = new ArrayList<>();
    private boolean hasDrafter;

    private Optional<RequestedPaging> read(String flags) {
        PagingArguments parsed = new PagingArguments();
        new CommandLine(
                        CommandSpec.create()
                                .addMixin("paging", CommandSpec.forAnnotatedObject(parsed)))
                .parseArgs(flags.isBlank() ? new String[0] : flags.strip().split("\\s+"));
        return parsed.request(
                new PagingVariables(
                        new Environment(variables, Optional.empty(), Set.of()),
                        hasDrafter,
                        warnings::add));
    }

    private static RequestedPaging request(RequestedPaging.Size size, PagePolicy policy, int tau) {
        return new RequestedPaging(size, Optional.of(policy), tau);
    }

    private static RequestedPaging.Size fixed(int tokens) {
        return new RequestedPaging.Size.Fixed(tokens);
    }

    private String refusal(String flags) {
        RuntimeException error = assertThrows(RuntimeException.class, () -> read(flags), flags);
        return FlagNames.FLAGS.render(error.getMessage());
    }

    @Test
    void noFlagMeansNoPool() {
        assertEquals(Optional.empty(), read(""));
        assertEquals(List.of(), warnings);
    }

    @Test
    void sizeAloneUsesDefaults() {
        assertEquals(Optional.of(RequestedPaging.of(4096)), read("--kvflash 4096"));
        assertEquals(Optional.of(RequestedPaging.automatic()), read("--kvflash auto"));
        assertEquals(PagePolicy.QK, read("--kvflash 1").orElseThrow().chosenPolicy());
    }

    @Test
    void policyAndIntervalAreAccepted() {
        assertEquals(
                Optional.of(request(fixed(512), PagePolicy.LRU, 128)),
                read("--kvflash 512 --kvflash-policy lru --kvflash-tau 128"));
        assertEquals(
                Optional.of(request(fixed(512), PagePolicy.QK, 64)),
                read("--kvflash=512 --kvflash-policy=qk"));
    }

    @Test
    void sizeBeyondEveryContextIsClamped() {
        assertEquals(
                Optional.of(RequestedPaging.of(Integer.MAX_VALUE)), read("--kvflash 99999999999"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "-99999999999", "many", "4k", "4096.0", "off"})
    void invalidSizeIsRefused(String size) {
        assertEquals(
                "--kvflash: expected a positive number of tokens or auto, found " + size,
                refusal("--kvflash=" + size));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--kvflash 512 --kvflash-policy fifo | --kvflash-policy: expected qk, lru or"
                        + " drafter, found fifo",
                "--kvflash 512 --kvflash-tau 0 | --kvflash-tau: expected 1 or more, found 0",
                "--kvflash 512 --kvflash-tau -3 | --kvflash-tau: expected 1 or more, found -3",
                "--kvflash-policy lru | --kvflash-policy: needs --kvflash; without it all tokens"
                        + " stay on the devices",
                "--kvflash-tau 64 | --kvflash-tau: needs --kvflash; without it all tokens stay on"
                        + " the devices",
                "--kvflash-tau 0 | --kvflash-tau: expected 1 or more, found 0",
            })
    void invalidFlagIsRefusedByName(String flags, String expected) {
        variables.put("DFLASH_KVFLASH_POLICY", "lru");

        assertEquals(expected, refusal(flags));
        assertEquals(List.of(), warnings);
    }

    @Test
    void variablesReplaceMissingFlags() {
        variables.put("DFLASH_KVFLASH", "4096");
        variables.put("DFLASH_KVFLASH_POLICY", "lru");
        variables.put("DFLASH_KVFLASH_TAU", " 32 ");

        assertEquals(Optional.of(request(fixed(4096), PagePolicy.LRU, 32)), read(""));
        assertEquals(
                Optional.of(request(fixed(512), PagePolicy.QK, 9)),
                read("--kvflash 512 --kvflash-policy qk --kvflash-tau 9"));
        assertEquals(Optional.of(request(fixed(4096), PagePolicy.LRU, 9)), read("--kvflash-tau 9"));
        assertEquals(List.of(), warnings);
    }

    @Test
    void otherVariablesAreIgnoredWithoutAPool() {
        variables.put("DFLASH_KVFLASH_POLICY", "fifo");
        variables.put("DFLASH_KVFLASH_TAU", "0");
        variables.put("DFLASH_KVFLASH_MAX_POOL", "x");
        variables.put("DFLASH_KVFLASH_DRAFTER", "drafter.gguf");

        assertEquals(Optional.empty(), read(""));
        assertEquals(List.of(), warnings);
    }

    @ParameterizedTest
    @CsvSource({"32768, 32768", "100, 256", "-1, 256", "lots, 16384"})
    void automaticPoolIsBoundedByAVariable(String bound, int most) {
        variables.put("DFLASH_KVFLASH", "auto");
        variables.put("DFLASH_KVFLASH_MAX_POOL", bound);

        assertEquals(new RequestedPaging.Size.Automatic(most), read("").orElseThrow().size());
        assertEquals(
                bound.equals("32768")
                        ? List.of()
                        : List.of(
                                "DFLASH_KVFLASH_MAX_POOL: expected 256 or more, found "
                                        + bound
                                        + "; using "
                                        + most),
                warnings);
    }

    @Test
    void boundAppliesToAutomaticPoolsOnly() {
        variables.put("DFLASH_KVFLASH_MAX_POOL", "256");

        assertEquals(fixed(4096), read("--kvflash 4096").orElseThrow().size());
        assertEquals(
                new RequestedPaging.Size.Automatic(256),
                read("--kvflash auto").orElseThrow().size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "many", "4k"})
    void invalidSizeVariableIsIgnoredWithAWarning(String size) {
        variables.put("DFLASH_KVFLASH", size);

        assertEquals(Optional.empty(), read(""));
        assertEquals(
                List.of(
                        "DFLASH_KVFLASH: expected a positive number of tokens or auto, found "
                                + size
                                + "; the cache is unbounded"),
                warnings);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "  "})
    void emptyVariableIsIgnoredWithoutAWarning(String size) {
        variables.put("DFLASH_KVFLASH", size);

        assertEquals(Optional.empty(), read(""));
        assertEquals(List.of(), warnings);
    }

    @Test
    void flagTakesPrecedenceOverAnInvalidVariable() {
        variables.put("DFLASH_KVFLASH", "many");

        assertEquals(Optional.of(RequestedPaging.of(512)), read("--kvflash 512"));
        assertEquals(List.of(), warnings);
    }

    @ParameterizedTest
    @ValueSource(strings = {"drafter", "fifo", "LRUX"})
    void unknownPolicyVariableGivesTheDefaultAndAWarning(String policy) {
        variables.put("DFLASH_KVFLASH_POLICY", policy);

        assertEquals(PagePolicy.QK, read("--kvflash 512").orElseThrow().chosenPolicy());
        assertEquals(
                List.of(
                        "DFLASH_KVFLASH_POLICY: expected qk or lru, or drafter with"
                                + " --prefill-drafter, found "
                                + policy
                                + "; using qk"),
                warnings);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "-8, 1", "often, 64"})
    void invalidIntervalVariableIsReplacedWithAWarning(String tau, int taken) {
        variables.put("DFLASH_KVFLASH_TAU", tau);

        assertEquals(taken, read("--kvflash 512").orElseThrow().tau());
        assertEquals(
                List.of(
                        "DFLASH_KVFLASH_TAU: expected 1 or more, found "
                                + tau
                                + "; using "
                                + taken),
                warnings);
    }

    @Test
    void drafterPolicyIsAcceptedWithADrafter() {
        assertEquals(
                Optional.of(request(fixed(512), PagePolicy.DRAFTER, 64)),
                read("--kvflash 512 --kvflash-policy drafter"));

        variables.put("DFLASH_KVFLASH_POLICY", "drafter");
        variables.put("DFLASH_KVFLASH_DRAFTER", "drafter.gguf");
        assertEquals(PagePolicy.DRAFTER, read("--kvflash 512").orElseThrow().chosenPolicy());

        variables.remove("DFLASH_KVFLASH_DRAFTER");
        hasDrafter = true;
        assertEquals(PagePolicy.DRAFTER, read("--kvflash 512").orElseThrow().chosenPolicy());
        assertEquals(List.of(), warnings);
    }

    @Test
    void drafterIsTheConfiguredOneOrThatOfADemoModel() {
        Environment environment = new Environment(variables, Optional.empty(), Set.of());
        PagingArguments paging = new PagingArguments();
        Optional<String> named = Optional.of("a.gguf");

        assertEquals(named, paging.drafter(named, environment, true));
        assertEquals(
                Optional.of("demo:drafter"), paging.drafter(Optional.empty(), environment, true));
        assertEquals(Optional.empty(), paging.drafter(Optional.empty(), environment, false));
    }

    @Test
    void drafterScoresPagesIfThePolicyRequiresIt() {
        Optional<RequestedPaging> pool = read("--kvflash 512 --kvflash-policy drafter");
        Optional<String> named = Optional.of("a.gguf");

        assertEquals(named, PagingArguments.scoringDrafter(pool, named));
        assertEquals(
                Optional.empty(), PagingArguments.scoringDrafter(read("--kvflash 512"), named));
        assertEquals(
                "--kvflash-policy drafter: needs --prefill-drafter, a small model that scores the"
                        + " text",
                assertThrows(
                                UsageException.class,
                                () -> PagingArguments.scoringDrafter(pool, Optional.empty()))
                        .getMessage());
    }

    @Test
    void unusedDrafterIsRefused() {
        PoolArguments parsed = new PoolArguments();
        new CommandLine(
                        CommandSpec.create()
                                .addMixin("pool", CommandSpec.forAnnotatedObject(parsed)))
                .parseArgs("--kvflash", "512", "--prefill-drafter", "a.gguf");
        Environment environment = new Environment(variables, Optional.empty(), Set.of());

        assertEquals(
                "--prefill-drafter: needs --kvflash-policy drafter; no other part of this command"
                        + " uses it",
                assertThrows(UsageException.class, () -> parsed.choose(environment, false))
                        .getMessage());
    }
}
