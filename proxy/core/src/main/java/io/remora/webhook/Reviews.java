package io.remora.webhook;

import io.remora.inject.Injection;
import io.remora.inject.JsonPatch;
import io.remora.inject.PodInjector;
import io.remora.json.JsonTree;
import io.remora.json.JsonWriter;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.webhook.ReviewStats.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers the admission reviews of pods: by a JSON patch, by a refusal that names the annotation, or by leaving the pod
 * as it is. It has no side effects, so that a dry run is like any other.
 *
 * <p>Owner: the event loop. Bounds: a review whose tree would not fit into a quarter of the heap is refused. Spec:
 * admission.k8s.io/v1.
 */
final class Reviews implements WebhookServer.Pages {
    static final String PATH = "/mutate";
    /** Namespaces that the webhook never touches; the registration and the settings cannot change that. */
    private static final Set<String> SYSTEM = Set.of("kube-system", "kube-public", "kube-node-lease");

    private static final long UNPROCESSABLE = 422;
    /** Heap of a value of a tree, with its entry in a map. */
    private static final long VALUE_BYTES = 120;
    /** Copies of the text: the octets, the tree's, those of the patch and its base64. */
    private static final long COPIES = 4;

    private final PodInjector injector;
    private final String namespace;
    private final ReviewStats stats;
    private final long maxTreeBytes;
    private final LogThrottle faults = LogThrottle.ofSource();

    /**
     * @param namespace of the injector itself
     */
    Reviews(PodInjector injector, String namespace, ReviewStats stats) {
        this.injector = injector;
        this.namespace = namespace;
        this.stats = stats;
        this.maxTreeBytes = Runtime.getRuntime().maxMemory() / 4;
    }

    @Override
    public Answer answer(String method, String path, byte[] body) {
        if (!path.equals(PATH)) {
            return Answer.text(404, "the webhook is at POST " + PATH);
        }
        if (!method.equals("POST")) {
            return Answer.text(405, "use POST");
        }
        long beganNs = System.nanoTime();
        Result result;
        Answer answer;
        try {
            Review review = new Review(body);
            answer = review.answer();
            result = review.result;
        } catch (IOException e) {
            answer = Answer.text(400, "not an AdmissionReview of admission.k8s.io/v1: " + e.getMessage());
            result = Result.INVALID;
        } catch (RuntimeException | StackOverflowError e) {
            String tail = faults.tail(System.nanoTime());
            if (tail != null) {
                Log.error("injector: a review failed; refusing its pod: " + e + tail);
            }
            answer = Answer.text(500, "the injector failed; its log says why");
            result = Result.FAILED;
        }
        stats.count(result, System.nanoTime() - beganNs);
        return answer;
    }

    private void requireSize(byte[] body) throws IOException {
        long values = 1;
        for (byte octet : body) {
            values += octet == ',' || octet == '{' || octet == '[' ? 1 : 0;
        }
        if (values * VALUE_BYTES + COPIES * body.length > maxTreeBytes) {
            throw new IOException("it takes more memory than the injector has");
        }
    }

    /** One review. */
    private final class Review {
        private final Map<?, ?> request;
        private final String uid;
        private Result result = Result.UNCHANGED;

        Review(byte[] body) throws IOException {
            requireSize(body);
            Object tree = JsonTree.read(body);
            if (!(tree instanceof Map<?, ?> review)
                    || !"AdmissionReview".equals(review.get("kind"))
                    || !"admission.k8s.io/v1".equals(review.get("apiVersion"))) {
                throw new IOException("its kind is another");
            }
            request = ApiClient.member(review, "request");
            if (!(request.get("uid") instanceof String id)) {
                throw new IOException("it has no request.uid");
            }
            uid = id;
        }

        Answer answer() {
            Map<String, @Nullable Object> response = new LinkedHashMap<>();
            response.put("uid", uid);
            response.put("allowed", true);
            if (isNewPod() && !isExempt()) {
                inject(response);
            }
            Map<String, @Nullable Object> review = new LinkedHashMap<>();
            review.put("apiVersion", "admission.k8s.io/v1");
            review.put("kind", "AdmissionReview");
            review.put("response", response);
            return Answer.json(JsonWriter.line(review));
        }

        private boolean isNewPod() {
            Map<?, ?> resource = ApiClient.member(request, "resource");
            Object sub = request.get("subResource");
            return "CREATE".equals(request.get("operation"))
                    && "".equals(resource.get("group"))
                    && "v1".equals(resource.get("version"))
                    && "pods".equals(resource.get("resource"))
                    && (sub == null || sub.equals(""))
                    && request.get("object") instanceof Map;
        }

        private boolean isExempt() {
            Object its = request.get("namespace");
            return !(its instanceof String text) || text.isEmpty() || SYSTEM.contains(text) || text.equals(namespace);
        }

        @SuppressWarnings("unchecked") // objects of a tree have texts as names
        private void inject(Map<String, @Nullable Object> response) {
            Map<String, @Nullable Object> pod = (Map<String, @Nullable Object>) ApiClient.member(request, "object");
            Injection injection = injector.inject(pod, String.valueOf(request.get("namespace")), true);
            List<String> messages = injection.messages();
            switch (injection.outcome()) {
                case INJECTED -> {
                    result = Result.INJECTED;
                    byte[] patch = JsonWriter.line(JsonPatch.between(pod, injection.pod()))
                            .getBytes(StandardCharsets.UTF_8);
                    response.put("patchType", "JSONPatch");
                    response.put("patch", Base64.getEncoder().encodeToString(patch));
                    warn(response, messages);
                }
                case UNCHANGED -> warn(response, messages);
                case REFUSED -> {
                    result = Result.REFUSED;
                    response.put("allowed", false);
                    Map<String, @Nullable Object> status = new LinkedHashMap<>();
                    status.put("code", UNPROCESSABLE);
                    status.put("reason", "Invalid");
                    status.put("message", String.join("; ", messages));
                    response.put("status", status);
                }
                case SKIPPED -> {
                    // the reason is the owner's own choice
                }
            }
        }

        private void warn(Map<String, @Nullable Object> response, List<String> messages) {
            if (!messages.isEmpty()) {
                response.put("warnings", messages);
            }
        }
    }
}
