package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ModelLoadListener;
import dev.varve.platform.host.PreparedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.testkit.TestSeed;
import dev.varve.testkit.TestThreads;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** The demo model in the least pool, with the demo drafter to say what of a text stays in it. */
@Timeout(600)
class DrafterPagesTest {
    private static final int CONTEXT = 4096;
    private static final int ANSWER = 24;
    private static final String NEEDLE = "The depth of seat 27 is 7969. ";

    private static final List<String> FILLER =
            List.of(
                    "Rosa agreed with Leo. ",
                    "The path goes past the square and the market. ",
                    "The fishing boat passed the dark cliffs on Sunday. ",
                    "The sails of the boat were blue. ",
                    "Wanda forgot the basket at the hill. ",
                    "The waves were high last week. ",
                    "The plumber gave the sailors some cabbage. ",
                    "It stayed hot for eleven hours. ",
                    "Nobody expected such a windy October. ",
                    "A path of grey stones leads through the birches. ");

    @TempDir static Path folder;

    private static HostedModel load(PagePolicy policy, String devices) {
        Path drafter = DemoModel.QWEN35.file().resolveSibling("varve-demo-drafter.gguf");
        assumeTrue(Files.exists(drafter), () -> "no demo drafter " + drafter);
        ModelSettings settings = Cpu.settings(CONTEXT, 1, Cpu.Q8_0);
        HostSettings host =
                new HostSettings(
                                DemoModel.QWEN35.file(),
                                settings.with(settings.computation().with(BatchInvariance.ON)),
                                DeviceSettings.best().withThreads(TestThreads.COUNT),
                                Cpu.plugins(folder.resolve("plugins.jar"), folder.resolve("cache")),
                                ShardProcessSettings.none())
                        .onDevices(devices)
                        .with(
                                new RequestedPaging(
                                        new RequestedPaging.Size.Fixed(PagedModel.POOL),
                                        Optional.of(policy),
                                        PagingOptions.DEFAULT_TAU))
                        .with(
                                CompressionSettings.of(
                                        drafter, ConversationCompressionSettings.USUAL));
        return PreparedModel.open(host, new ModelLoadListener() {}).load();
    }

    /** A text of some sentences with a needle in it, and a question for that. */
    private static int[] prompt(HostedModel model, int sentences, int needleAt) {
        Random random = new Random(TestSeed.of(17));
        StringBuilder text = new StringBuilder("<|im_start|>user\n");
        for (int i = 0; i < sentences; i++) {
            text.append(i == needleAt ? NEEDLE : "");
            text.append(FILLER.get(random.nextInt(FILLER.size())));
        }
        text.append("\nHello! Name the depth of seat 27.<|im_end|>\n<|im_start|>assistant\n");
        return model.encode(text.toString());
    }

    private static Answer ask(HostedModel model, int sentences, int needleAt) throws Exception {
        Answer answer = Answer.ask(model.engine(), prompt(model, sentences, needleAt), ANSWER);
        answer.end();
        return answer;
    }

    private static String text(HostedModel model, Answer answer) throws Exception {
        return model.tokenizer().decode(answer.tokens());
    }

    @Test
    void pagesRelevantToAQuestionAreFoundFarOutsideThePool() throws Exception {
        try (HostedModel model = load(PagePolicy.DRAFTER, "cpu:0")) {
            for (int needleAt : new int[] {40, 70, 110}) {
                Answer answer = ask(model, 160, needleAt);

                assertTrue(text(model, answer).contains("7969"), () -> "needle " + needleAt);
                assertTrue(PagedModel.paging(answer).counts().recalls() > 0);
            }
            assertEquals(PagePolicy.DRAFTER, policy(model));
        }
        try (HostedModel model = load(PagePolicy.LRU, "cpu:0")) {
            assertFalse(text(model, ask(model, 160, 70)).contains("7969"));
        }
    }

    private static PagePolicy policy(HostedModel model) {
        return model.engine().status().paging().orElseThrow().options().policy();
    }

    @Test
    void repeatedPromptAndSplitModelGiveTheSameOutput() throws Exception {
        int[] expected;
        try (HostedModel model = load(PagePolicy.DRAFTER, "cpu:0")) {
            Answer first = ask(model, 150, 60);
            expected = first.tokens();
            assertTrue(PagedModel.paging(first).counts().pagesOut() > 10);

            assertArrayEquals(expected, ask(model, 150, 60).tokens());
        }

        try (HostedModel split = load(PagePolicy.DRAFTER, "cpu:0,cpu:0")) {
            assertEquals(2, split.shards().size());
            assertArrayEquals(expected, ask(split, 150, 60).tokens());
        }
    }
}
