"""nbgrader's settings for this class. Lines that begin with # c. are yours to use."""

from pathlib import Path

from autograder.new_class import class_config

c = get_config()  # noqa: F821
c.merge(class_config(Path(__file__).parent, "{{ course_id }}"))

# Where nbgrader keeps what is handed out and handed in. Every user of the machine must
# be able to write there; this is nbgrader's own place.
# c.Exchange.root = "/usr/local/share/nbgrader/exchange"

# Late work: "none" takes nothing off, "zero" takes all points.
# c.LateSubmissionPlugin.penalty_method = "zero"

# Any other rule is a class of your own, here a point a day.
# from nbgrader.plugins import BasePlugin
#
# class PointADay(BasePlugin):
#     def late_submission_penalty(self, student_id, score, total_seconds_late):
#         return -(-total_seconds_late // 86400)  # days, rounded up
#
# c.AssignLatePenalties.plugin_class = PointADay
