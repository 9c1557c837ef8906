package dev.varve.platform.http;

import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.chat.TrainedChat;
import dev.varve.platform.chat.UnmarkedCallPolicy;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ModelTextProcessing;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.serving.IdleTtl;
import dev.varve.platform.http.serving.LoadableModel;
import dev.varve.platform.http.serving.ModelCapability;
import dev.varve.platform.http.serving.ModelManager;
import dev.varve.platform.http.serving.ModelNameResolver;
import dev.varve.platform.http.serving.ModelOutline;
import dev.varve.platform.http.serving.RunningModel;
import dev.varve.platform.tokenizer.Tokenizer;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The real HTTP server over models of several families, each with its published template, and a
 * model that answers in its dialect. The name of a model is that of its {@link TrainedChat}.
 *
 * <p>The models know the questions below; to all else they say {@value #GREETING}
 */
public final class TrainedServer implements AutoCloseable {
    /** Asks for one call of {@code get_weather}. */
    public static final String ONE_CITY = "What is the weather in Bern?";

    /** Asks for two calls. */
    public static final String TWO_CITIES = "Compare the weather in Bern and in Rome.";

    /** Asks for an object. */
    public static final String AS_OBJECT = "Describe the weather in Bern as JSON.";

    /** Result of the tool, which the model reports. */
    public static final String RESULT = "17 degrees";

    /** The object that the models answer with. */
    public static final String OBJECT = "{\"city\": \"Bern\", \"celsius\": 17}";

    /** The report of a result. */
    public static final String REPORT = "It is mild.";

    /** The answer to everything else. */
    public static final String GREETING = "Hello.";

    private final HttpServer server = HttpServer.start(HttpOptions.loopback());
    private final ModelManager models;

    private TrainedServer(List<TrainedChat> chats) {
        List<LoadableModel> sources = chats.stream().<LoadableModel>map(Source::new).toList();
        models = ModelManager.several(() -> sources, ModelNameResolver.usual(), IdleTtl.always());
        server.ready(models);
    }

    /** Starts one on a free port of this machine. */
    public static TrainedServer of(List<TrainedChat> chats) {
        return new TrainedServer(chats);
    }

    /** The address on which the server listens. */
    public URI uri() {
        return server.uri();
    }

    private static String answer(TrainedChat chat, String prompt) {
        if (prompt.contains(RESULT)) {
            return chat.saying(prompt, REPORT);
        }
        if (prompt.contains(TWO_CITIES)) {
            return chat.calling(prompt, "Bern", "Rome");
        }
        if (prompt.contains(ONE_CITY)) {
            return chat.calling(prompt, "Bern");
        }
        return chat.saying(prompt, prompt.contains(AS_OBJECT) ? OBJECT : GREETING);
    }

    /** One of the models. */
    private record Source(TrainedChat chat) implements LoadableModel {
        @Override
        public ModelOutline outline() {
            return new ModelOutline(
                    chat.name(),
                    chat.template(),
                    chat.architectures().getFirst(),
                    new ModelOutline.Context(TrainedEngine.CONTEXT, TrainedEngine.CONTEXT),
                    1_700_000_000,
                    ModelCapability.expected(Optional.empty()));
        }

        @Override
        public String stamp() {
            return "";
        }

        @Override
        public RunningModel load() {
            Tokenizer tokenizer = chat.tokenizer();
            TrainedEngine engine = new TrainedEngine(tokenizer, prompt -> answer(chat, prompt));
            ChatRenderer renderer = new ChatRenderer(chat.compile(), tokenizer);
            return new RunningModel(
                    new ServedModel(
                            new ModelDescription(
                                    chat.name(),
                                    chat.architectures().getFirst(),
                                    TrainedEngine.CONTEXT,
                                    Map.of()),
                            engine,
                            new ModelTextProcessing(
                                    tokenizer,
                                    Optional.of(renderer),
                                    ResponseSyntax.of(
                                            chat.dialect(),
                                            Optional.of(renderer.dialect()),
                                            tokenizer,
                                            UnmarkedCallPolicy.AUTO),
                                    ReasoningDefaults.none())),
                    engine);
        }
    }

    @Override
    public void close() {
        server.close();
        models.close();
    }
}
