"""What calls a function besides its API, in a template: schedules, a bucket; and the queue and alarms behind them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

METRICS_NAMESPACE = "Hansang"
METRIC_DIMENSIONS = ("FunctionName", "Application")
QUEUE, ROLE, RULE = "DeadLetters", "SchedulerRole", "ObjectCreatedRule"
SECONDS = 900
"""How long a function may run that is called by events: as long as Lambda lets it."""

_DAYS = 86_400
_HAS_BUCKET, _HAS_TOPIC = "HasListsBucket", "HasAlarmTopic"
_BUCKET = {"Ref": "ListsBucket"}
_QUEUE_ARN = {"Fn::GetAtt": [QUEUE, "Arn"]}
_NOTHING = {"Ref": "AWS::NoValue"}


@dataclass(frozen=True, slots=True)
class Timer:
    """A job and an expression of EventBridge Scheduler that says when it is due."""

    job: str
    expression: str
    zone: str
    number: int = 1
    """A job whose schedule takes two expressions has two timers."""

    @property
    def logical(self) -> str:
        """Its name inside the template."""
        return f"Job{_camel(self.job)}{f'Part{self.number}' if self.number > 1 else ''}"


@dataclass(frozen=True, slots=True)
class MetricAlarm:
    """A number of an application that should be zero."""

    application: str
    metric: str
    about: str


@dataclass(frozen=True, slots=True)
class EventSources:
    """Everything that calls a function besides its API."""

    timers: tuple[Timer, ...] = ()
    folders: tuple[str, ...] = ()
    """The first folders of the keys of a bucket whose objects it takes."""
    alarms: tuple[MetricAlarm, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.timers or self.folders)

    # ── what they add to a template ───────────────────────────────────────────────────────────────

    def sections(self, function: str) -> dict[str, dict[str, Any]]:
        """What stands beside the function of this logical name, by the sections of a template."""
        about = "Where events are that failed for good."
        return {
            "Parameters": self._parameters(),
            "Conditions": self._conditions(),
            "Resources": {
                QUEUE: _queue(),
                **(self._scheduling(function) if self.timers else {}),
                **(self._bucket(function) if self.folders else {}),
                **self._alarms(function),
            },
            "Outputs": {"DeadLettersUrl": {"Description": about, "Value": {"Ref": QUEUE}}},
        }

    def _parameters(self) -> dict[str, Any]:
        topic = _parameter("The ARN of an SNS topic that alarms are sent to; empty for none.", "^(arn:.+)?$")
        bucket = _parameter(
            f"A bucket whose objects below {', '.join(f'{each}/' for each in self.folders)} are loaded; "
            "its EventBridge notifications have to be on. Empty for none.",
            "^([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])?$",
        )
        return {"AlarmTopic": topic} | ({"ListsBucket": bucket} if self.folders else {})

    def _conditions(self) -> dict[str, Any]:
        given = {_HAS_TOPIC: "AlarmTopic"} | ({_HAS_BUCKET: "ListsBucket"} if self.folders else {})
        return {name: {"Fn::Not": [{"Fn::Equals": [{"Ref": of}, ""]}]} for name, of in given.items()}

    @property
    def properties(self) -> dict[str, Any]:
        """Of the function: events that fail are tried twice more, and then kept in the queue."""
        return {
            "Timeout": SECONDS,
            "EventInvokeConfig": {
                "MaximumRetryAttempts": 2,
                "MaximumEventAgeInSeconds": 21_600,
                "DestinationConfig": {"OnFailure": {"Type": "SQS", "Destination": _QUEUE_ARN}},
            },
        }

    @property
    def policies(self) -> list[Any]:
        """What the function may read, besides its tables."""
        if not self.folders:
            return []
        objects = [
            {"Fn::Sub": f"arn:${{AWS::Partition}}:s3:::${{ListsBucket}}/{each}/*"} for each in self.folders
        ]
        return [_if(_HAS_BUCKET, {"Statement": [_allow(["s3:GetObject", "s3:GetObjectVersion"], objects)]})]

    # ── schedules ─────────────────────────────────────────────────────────────────────────────────

    def _scheduling(self, function: str) -> dict[str, Any]:
        return {ROLE: _role(function)} | {each.logical: _schedule(each, function) for each in self.timers}

    # ── the bucket ────────────────────────────────────────────────────────────────────────────────

    def _bucket(self, function: str) -> dict[str, Any]:
        pattern = {
            "source": ["aws.s3"],
            "detail-type": ["Object Created"],
            "detail": {
                "bucket": {"name": [_BUCKET]},
                "object": {"key": [{"prefix": f"{each}/"} for each in self.folders]},
            },
        }
        target = {"Id": "Function", "Arn": _arn(function), **_delivery()}
        rule_arn = {"Fn::GetAtt": [RULE, "Arn"]}
        allowed = {
            "Action": "lambda:InvokeFunction",
            "FunctionName": {"Ref": function},
            "Principal": "events.amazonaws.com",
            "SourceArn": rule_arn,
        }
        from_rule = {"ArnEquals": {"aws:SourceArn": rule_arn}}
        keeping = _allow(["sqs:SendMessage"], [_QUEUE_ARN], "events.amazonaws.com", from_rule)
        return {
            RULE: _resource("AWS::Events::Rule", _HAS_BUCKET, EventPattern=pattern, Targets=[target]),
            f"{RULE}Permission": _resource("AWS::Lambda::Permission", _HAS_BUCKET, **allowed),
            f"{QUEUE}Policy": _resource(
                "AWS::SQS::QueuePolicy",
                _HAS_BUCKET,
                Queues=[{"Ref": QUEUE}],
                PolicyDocument={"Version": "2012-10-17", "Statement": [keeping]},
            ),
        }

    # ── alarms ────────────────────────────────────────────────────────────────────────────────────

    def _alarms(self, function: str) -> dict[str, Any]:
        named = {"FunctionName": {"Ref": function}}
        queue = {"QueueName": {"Fn::GetAtt": [QUEUE, "QueueName"]}}
        waiting = ("AWS/SQS", "ApproximateNumberOfMessagesVisible")
        return {
            f"{QUEUE}Alarm": _alarm("Events failed for good; look into the queue.", *waiting, queue),
            "ErrorsAlarm": _alarm("The function raised an error.", "AWS/Lambda", "Errors", named, "Sum"),
            **{
                f"{_camel(each.application)}{_camel(each.metric)}Alarm": _alarm(
                    each.about,
                    METRICS_NAMESPACE,
                    each.metric,
                    dict(zip(METRIC_DIMENSIONS, ({"Ref": function}, each.application), strict=True)),
                )
                for each in self.alarms
            },
        }


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.replace("_", "-").split("-"))


def _parameter(about: str, pattern: str) -> dict[str, Any]:
    return {"Type": "String", "Default": "", "AllowedPattern": pattern, "Description": about}


def _resource(kind: str, condition: str | None = None, **properties: Any) -> dict[str, Any]:
    return {"Type": kind} | ({"Condition": condition} if condition else {}) | {"Properties": properties}


def _if(condition: str, content: Any) -> dict[str, Any]:
    return {"Fn::If": [condition, content, _NOTHING]}


def _arn(function: str) -> dict[str, Any]:
    return {"Fn::GetAtt": [function, "Arn"]}


def _allow(
    actions: list[str], objects: list[Any], who: str | None = None, when: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "Effect": "Allow",
        **({"Principal": {"Service": who}} if who else {}),
        "Action": actions,
        **({"Resource": objects} if objects else {}),
        **({"Condition": when} if when else {}),
    }


def _queue() -> dict[str, Any]:
    return _resource("AWS::SQS::Queue", MessageRetentionPeriod=14 * _DAYS, SqsManagedSseEnabled=True)


def _delivery() -> dict[str, Any]:
    """How an event is brought to the function, and what becomes of it when it cannot be."""
    return {
        "RetryPolicy": {"MaximumEventAgeInSeconds": 3600, "MaximumRetryAttempts": 10},
        "DeadLetterConfig": {"Arn": _QUEUE_ARN},
    }


def _role(function: str) -> dict[str, Any]:
    """Who the scheduler is: it may call the function and keep what cannot be delivered, and nothing else."""
    own = {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    trust = _allow(["sts:AssumeRole"], [], "scheduler.amazonaws.com", own)
    may = [_allow(["lambda:InvokeFunction"], [_arn(function)]), _allow(["sqs:SendMessage"], [_QUEUE_ARN])]
    return _resource(
        "AWS::IAM::Role",
        AssumeRolePolicyDocument={"Version": "2012-10-17", "Statement": [trust]},
        Policies=[{"PolicyName": "Call", "PolicyDocument": {"Version": "2012-10-17", "Statement": may}}],
    )


def _schedule(timer: Timer, function: str) -> dict[str, Any]:
    # The scheduler puts the time at which the job was due in the place of the attribute.
    given = {"hansang": {"job": timer.job, "at": "<aws.scheduler.scheduled-time>"}}
    target = {
        "Arn": _arn(function),
        "RoleArn": {"Fn::GetAtt": [ROLE, "Arn"]},
        "Input": json.dumps(given),
        **_delivery(),
    }
    return _resource(
        "AWS::Scheduler::Schedule",
        Description=f"The job {timer.job}.",
        ScheduleExpression=timer.expression,
        ScheduleExpressionTimezone=timer.zone,
        FlexibleTimeWindow={"Mode": "OFF"},
        Target=target,
    )


def _alarm(
    about: str, namespace: str, metric: str, dimensions: Mapping[str, Any], statistic: str = "Maximum"
) -> dict[str, Any]:
    return _resource(
        "AWS::CloudWatch::Alarm",
        AlarmDescription=about,
        Namespace=namespace,
        MetricName=metric,
        Dimensions=[{"Name": name, "Value": value} for name, value in dimensions.items()],
        Statistic=statistic,
        Period=300,
        EvaluationPeriods=1,
        Threshold=0,
        ComparisonOperator="GreaterThanThreshold",
        TreatMissingData="notBreaching",
        AlarmActions=_if(_HAS_TOPIC, [{"Ref": "AlarmTopic"}]),
    )
