import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;

@EnableAutoConfiguration
public static class Program {}

/** Compares texts with the embedding model of a program of Spring Boot. Argument: EMBEDDINGS */
void main(String[] arguments) {
    var application =
            new SpringApplicationBuilder(Program.class)
                    .properties("varve.embedding.model=" + arguments[0]);
    try (var context = application.run()) {
        var model = context.getBean(EmbeddingModel.class);
        float[] harbour = model.embed("the harbour");
        for (String text : List.of("the harbour", "bread is baked")) {
            IO.println(text + ": " + Math.round(100 * similarity(harbour, model.embed(text))) + " %");
        }
    }
}

double similarity(float[] a, float[] b) {
    return IntStream.range(0, a.length).mapToDouble(i -> a[i] * b[i]).sum();
}
